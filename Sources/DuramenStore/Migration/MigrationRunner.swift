import DuramenModel
import DuramenQuery
import Foundation

/// Executes a plan on a store that was opened for it.
struct MigrationRunner: Sendable {
    let plan: MigrationPlan
    let store: any SchemaMigratingStore

    /// The number of attempts, if other programs save to the store meanwhile.
    private static let attempts = 3

    /// - Returns: The backup; nil when none was made.
    func run() throws(StoreError) -> PersistentStoreDescription? {
        let cancellation = CancellationFlag(following: plan.store.opening.migrationCancellation)
        let keepsBackup = plan.keepsBackup || store.alwaysKeepsBackup
        try checkSpace(keepsBackup)
        if plan.policy.checksEncodedValues, let first = plan.hops.first {
            try EncodedValueCheck(
                change: first.bridge?.expansion.change ?? first.change, store: store,
                path: plan.location
            ).run()
        }
        var attempt = 1
        while true {
            let made = Backup()
            let report = MigrationReport(plan, cancellation)
            let copy = keepsBackup ? copying(into: made) : nil
            do throws(StoreError) {
                if let change = plan.inferred {
                    try store.migrate(MigrationWork(change, report, copy: copy))
                } else {
                    try store.migrate(through: WorkingCopy(plan, report, backup: copy))
                }
                try report.note(.end)
                return made.place.withLock { $0 }
            } catch {
                // After an unknown outcome, the backup may be the only copy of the old store.
                if error.code != .unknownOutcome { made.place.withLock { $0 }?.discard() }
                guard report.isOvertaken, attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Throws an error if the disk has too little space for the copies, before anything is written.
    ///
    /// The space for the change itself is only an estimate, which is not compared.
    private func checkSpace(_ keepsBackup: Bool) throws(StoreError) {
        let copies = (keepsBackup ? 1 : 0) + (plan.inferred == nil ? 2 : 0)
        guard copies > 0, FileManager.default.fileExists(atPath: plan.location),
            let change = plan.hops.first?.firstChange
        else { return }
        let bytes = try store.estimate(change).storeBytes * copies
        let folder = URL(filePath: plan.location).deletingLastPathComponent().path
        guard let free = DiskSpace.freeBytes(at: folder), free < bytes else { return }
        throw StoreError(
            .diskFull,
            "The migration of '\(plan.location)' \(copies == 1 ? "keeps a copy" : "works with copies") of \(bytes >> 20) MiB, and \(free >> 20) MiB of the disk are "
                + "free; make room. Nothing was changed.")
    }

    private func copying(into made: Backup) -> @Sendable () throws(StoreError) -> Void {
        { [self] () throws(StoreError) in
            let backup = try copy()
            made.place.withLock { $0 = backup }
        }
    }

    /// The backup, once it was made.
    private final class Backup: Sendable {
        let place = Locked<PersistentStoreDescription?>(nil)
    }

    /// Copies the store to an unused location. Other processes may do this concurrently, and older
    /// backups are kept.
    private func copy() throws(StoreError) -> PersistentStoreDescription {
        var number = 1
        while true {
            let backup = plan.store.migrationBackup(of: plan.source, number: number)
            do throws(StoreError) {
                try backup.type.copy(plan.store.toBeMigrated, to: backup)
                return backup
            } catch {
                guard error.code == .invalidRequest, number < 1_000 else { throw error }
                number += 1
            }
        }
    }
}

extension PersistentStoreDescription {
    /// Deletes a copy that nobody uses, and then its lock file. Errors are ignored; after one the
    /// lock file stays, as a mark of the rest.
    public func discard() {
        guard (try? type.destroy(self)) != nil else { return }
        try? FileManager.default.removeItem(atPath: location + ".lock")
    }
}
