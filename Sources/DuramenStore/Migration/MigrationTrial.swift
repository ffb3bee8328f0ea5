import DuramenModel
import DuramenQuery

/// What a migration did to a copy of a store.
public struct MigrationTrial: Sendable, Hashable {
    /// How long it took.
    public let seconds: Double
    /// The number of objects afterwards, by entity of the new model, sub-entities' left out.
    public let rows: [String: Int]
}

extension MigrationPlan {
    /// Migrates a copy beside the store, which is taken away again.
    ///
    /// Handlers and steps run as they would. The store may be in use meanwhile.
    /// - Throws: What ``execute()`` throws.
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
            let rows = try counts(in: opened)
            try opened.close()
            return MigrationTrial(seconds: seconds, rows: rows)
        } catch {
            try? opened.close()
            throw error
        }
    }

    private func counts(in store: any PersistentStore) throws(StoreError) -> [String: Int] {
        let snapshot = try store.snapshot()
        var rows: [String: Int] = [:]
        for entity in target.entities {
            var query = StoreQuery(entity: entity.id)
            query.includesSubentities = false
            rows[entity.name] = try QueryExecution(query, on: store, in: snapshot).count()
        }
        return rows
    }
}

extension PersistentStoreDescription {
    /// The copy of the store that is migrated for a trial. It is open beside the store, whose
    /// identity it has.
    fileprivate var dryRun: PersistentStoreDescription {
        var copy = self
        copy.location = trimmedLocation + ".dry-run"
        copy.copyDepth += 1
        return copy
    }
}
