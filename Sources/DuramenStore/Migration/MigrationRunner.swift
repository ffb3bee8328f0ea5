import DuramenModel
import DuramenQuery

/// Carries out a plan on a store that was opened for it.
struct MigrationRunner {
    let plan: MigrationPlan
    let store: any SchemaMigratingStore

    /// How often a copy is made anew that others made out of date.
    private static let attempts = 3

    /// - Returns: Where the copy is; nil when none was to be made.
    func run() throws(StoreError) -> PersistentStoreDescription? {
        let cancellation = CancellationFlag(following: plan.store.migrationCancellation)
        guard plan.keepsBackup || store.isOfAnotherProgram else {
            try migrate(work(cancellation, copied: nil))
            return nil
        }
        let backup = plan.store.migrationBackup(of: plan.change.source)
        var attempt = 1
        while true {
            let before = try store.snapshot().generation
            let work = work(cancellation, copied: before)
            try work.note(.backup)
            // One of the same version: of a migration that failed, or of a store that was put back.
            try backup.type.destroy(backup)
            try backup.type.copy(plan.store.toBeMigrated, to: backup)
            do throws(StoreError) {
                try migrate(work)
                return backup
            } catch {
                try? backup.type.destroy(backup)
                guard work.isOvertaken, attempt < Self.attempts else { throw error }
                attempt += 1
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
