import DuramenModel

/// The result of a trial migration of a copy of a store.
public struct MigrationTrial: Sendable, Hashable {
    /// The duration in seconds.
    public let seconds: Double
    /// The number of objects after the migration, by entity of the new model. Objects of
    /// sub-entities are not counted.
    public let rows: [String: Int]
}

extension MigrationPlan {
    /// Migrates a copy beside the store, and deletes the copy.
    ///
    /// Handlers and steps are run. The store may be in use meanwhile.
    /// - Throws: The errors of ``execute()``.
    public func dryRun() throws(StoreError) -> MigrationTrial {
        var trial = self
        trial.store = store.dryRun
        trial.policy.backup = .never
        trial.store.discard()
        try trial.store.type.copy(store.readOnly(), to: trial.store)
        defer {
            for backup in trial.store.migrationBackups { backup.discard() }
            trial.store.discard()
        }
        let begin = ContinuousClock.now
        try trial.execute()
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let opened = try trial.store.type.open(trial.store, model: target)
        do throws(StoreError) {
            let rows = try opened.objectCounts(in: opened.snapshot())
            try opened.close()
            return MigrationTrial(seconds: seconds, rows: rows)
        } catch {
            try? opened.close()
            throw error
        }
    }
}

extension PersistentStoreDescription {
    /// The copy of the store for a trial migration. It has the identity of the store, and both may
    /// be open at once.
    fileprivate var dryRun: PersistentStoreDescription {
        var copy = self
        copy.location = trimmedLocation + Self.trialMark
        copy.opening.copyDepth += 1
        return copy
    }

    /// The suffix of the location of a copy for a trial.
    static let trialMark = ".dry-run"
}
