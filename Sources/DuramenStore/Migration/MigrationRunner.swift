import DuramenModel
import DuramenQuery
import Foundation

/// Carries out a plan on a store that was opened for it.
struct MigrationRunner {
    let plan: MigrationPlan
    let store: any SchemaMigratingStore

    /// How often an outdated copy is made again.
    private static let attempts = 3

    /// - Returns: Where the copy is; nil when none was to be made.
    func run() throws(StoreError) -> PersistentStoreDescription? {
        let cancellation = CancellationFlag(following: plan.store.migrationCancellation)
        guard plan.keepsBackup || store.alwaysKeepsBackup else {
            try migrate(work(cancellation, copied: nil))
            return nil
        }
        var attempt = 1
        while true {
            let before = try store.snapshot().generation
            let work = work(cancellation, copied: before)
            try work.note(.backup)
            let backup = try copy()
            do throws(StoreError) {
                try migrate(work)
                return backup
            } catch {
                // Of a change that may be there the copy is all that is left of before.
                if error.code != .unknownOutcome { backup.discard() }
                guard work.isOvertaken, attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Copies the store to a place that is free: others may do the same at this moment, and what
    /// earlier migrations have kept stays.
    private func copy() throws(StoreError) -> PersistentStoreDescription {
        var number = 1
        while true {
            let backup = plan.store.migrationBackup(of: plan.change.source, number: number)
            do throws(StoreError) {
                try backup.type.copy(plan.store.toBeMigrated, to: backup)
                return backup
            } catch {
                guard error.code == .invalidRequest, number < 1_000 else { throw error }
                number += 1
            }
        }
    }

    private func work(
        _ cancellation: CancellationFlag, copied: StoreGeneration?
    ) -> MigrationWork {
        MigrationWork(
            plan.change, location: plan.location, observer: plan.store.migrationObserver,
            cancellation: cancellation, copied: copied)
    }

    private func migrate(_ work: MigrationWork) throws(StoreError) {
        try store.migrate(work)
        try work.note(.end)
    }
}

extension PersistentStoreDescription {
    /// Takes away a copy that nobody else knows, with the file of its lock.
    package func discard() {
        try? type.destroy(self)
        try? FileManager.default.removeItem(atPath: location + ".lock")
    }
}
