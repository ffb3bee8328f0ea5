import Dispatch
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import HashTreeCollections
import Synchronization

/// The data that stores of one name share: the current state and the keys.
final class MemoryDatabase: Sendable {
    /// The store's identity.
    let uuid: UUID
    /// The model with which the store was first opened.
    let model: ManagedObjectModel
    /// The model with which the store was last opened for writing. It has the same version, and may
    /// have other rules, defaults and notes.
    private let kept: Locked<ManagedObjectModel>
    /// The properties as the history numbers them.
    let properties: HistoryProperties
    private let derived: DerivedAttributes?
    /// The migrations of the store.
    let migrations: [StoreMigrationRecord]
    /// Whether another database has replaced this one.
    private let isSpent = Atomic<Bool>(false)

    // Saves take turns. The state has its own lock, so that a long save delays no snapshot.
    private let turn = Locked(())
    private let current: Locked<MemoryState>
    private let nextKeys: Locked<[Int64]>
    private let observers = Locked<[Int: @Sendable () -> Void]>([:])
    private let observerCount = Atomic<Int>(0)
    /// Whether a call of the observers is scheduled.
    private let isTelling = Atomic<Bool>(false)
    /// The queue on which observers are called.
    private let queue = DispatchQueue(label: "duramen.memory-changes")

    init(model: ManagedObjectModel) {
        uuid = UUID()
        self.model = model
        kept = Locked(model)
        properties = HistoryProperties(model)
        derived = DerivedAttributes(model, store: StoreHandle(uuid: uuid))
        current = Locked(MemoryState(model: model))
        nextKeys = Locked(Array(repeating: 1, count: model.entities.count))
        migrations = []
    }

    /// Creates a copy with the same identity, as a copied file would have it.
    init(copying other: MemoryDatabase) {
        uuid = other.uuid
        model = other.model
        kept = Locked(other.keptModel)
        properties = other.properties
        derived = other.derived
        migrations = other.migrations
        // Read the state first: the keys of all its rows were allocated by then.
        let state = other.state
        let keys = other.nextKeys.withLock { $0 }
        current = Locked(state)
        nextKeys = Locked(keys)
    }

    /// Creates this store with another version of its model.
    private init(
        migrating other: MemoryDatabase, _ change: SchemaChange, state: MemoryState, at date: Date
    ) {
        uuid = other.uuid
        model = change.target
        kept = Locked(model)
        properties = HistoryProperties(model)
        derived = DerivedAttributes(model, store: StoreHandle(uuid: uuid))
        let keys = other.nextKeys.withLock { $0 }
        var nextKeys = [Int64](repeating: 1, count: model.entities.count)
        for (place, entity) in change.sourceEntities.enumerated() {
            guard let entity else { continue }
            let root = model.entities[place].root.index
            nextKeys[root] = max(nextKeys[root], keys[change.source[entity].root.index])
        }
        self.nextKeys = Locked(nextKeys)
        current = Locked(state)
        migrations =
            other.migrations + [
                StoreMigrationRecord(change, date: date, save: state.generation)
            ]
    }

    /// The model that the store keeps.
    var keptModel: ManagedObjectModel { kept.withLock { $0 } }

    /// Replaces the kept model with another one of equal version.
    func keep(_ model: ManagedObjectModel) { kept.withLock { $0 = model } }

    /// Returns the store with another version of its model; this database cannot be used
    /// afterwards.
    func migrated(
        by work: MigrationWork, of store: MemoryStore, path: String, at date: Date
    ) throws(StoreError) -> MemoryDatabase {
        let change = work.change
        return try turn.withLock { (_) throws(StoreError) -> MemoryDatabase in
            try stopIfSpent(path)
            guard change.source.versionChecksum == model.versionChecksum else {
                throw StoreError.storeMigrated(path)
            }
            let base = state
            try work.begin()
            var next = try MemoryMigration(work: work, base: base, old: store, path: path)
                .state(at: date)
            if next.history != nil {
                var heading = ChangeSet()
                heading.author = MigrationWork.historyAuthor
                next.history?.add(
                    MemoryTransaction(heading, number: next.generation, at: date, in: self))
            }
            isSpent.store(true, ordering: .releasing)
            return MemoryDatabase(migrating: self, change, state: next, at: date)
        }
    }

    /// Replaces this database with another one, unless it was saved to since a state.
    func end(
        ifStillAt generation: Int64, _ copy: WorkingCopy,
        _ replace: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try turn.withLock { (_) throws(StoreError) in
            if state.generation != generation { throw copy.overtaken() }
            try replace()
            isSpent.store(true, ordering: .releasing)
        }
    }

    /// - Throws: `.storeMigrated` once the model was changed.
    func stopIfSpent(_ path: String) throws(StoreError) {
        if isSpent.load(ordering: .acquiring) { throw StoreError.storeMigrated(path) }
    }

    /// The newest state.
    var state: MemoryState { current.withLock { $0 } }

    /// Allocates keys of a hierarchy.
    func allocateKeys(_ count: Int, root: EntityID) throws(StoreError) -> Range<Int64> {
        try nextKeys.withLock { keys throws(StoreError) in
            let first = keys[root.index]
            let (end, overflows) = first.addingReportingOverflow(Int64(count))
            if overflows {
                throw StoreError(
                    .tooLarge, "The keys of '\(model[root].name)' are used up; begin a new store.")
            }
            keys[root.index] = end
            return first..<end
        }
    }

    /// Writes a change set, whole or not at all.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - date: Returns the time of day.
    func save(_ changes: ChangeSet, at date: () -> Date) throws(StoreError) -> SaveOutcome {
        try turn.withLock { (_) throws(StoreError) -> SaveOutcome in
            try Self.stopIfCancelled(changes)
            let completed = try complete(changes, in: state)
            let changes = completed.changes
            var save = MemorySave(state, model: model, store: StoreHandle(uuid: uuid))
            try save.apply(changes)
            if !save.conflicts.isEmpty { return .conflicted(save.conflicts) }
            keepClear(of: changes.inserts)
            try Self.stopIfCancelled(changes)
            var next = save.next
            if next.history != nil {
                var transaction = MemoryTransaction(
                    changes, number: next.generation, at: date(), in: self)
                transaction.add(changes, from: save.base)
                next.history?.add(transaction)
            }
            next.remember(save: changes.identifier)
            publish(next)
            return .saved(
                completed.receipt(
                    StoreGeneration(rawValue: save.next.generation), insertedVersion: save.version,
                    in: model, updatedVersion: { _ in save.version }))
        }
    }

    /// Completes a change set with derived attributes, if its rows allow computing them.
    func complete(
        _ changes: ChangeSet, in state: MemoryState, withinBatchOf version: RowVersion? = nil
    ) throws(StoreError) -> CompletedChanges {
        guard let derived else { return CompletedChanges(changes) }
        let store = StoreHandle(uuid: uuid)
        var checks = ChangeChecks(model: model, store: store)
        try checks.check(changes)
        return try derived.complete(
            changes, from: MemorySource(state, model: model, store: store), withinBatchOf: version)
    }

    /// Writes a batch, whole or not at all.
    ///
    /// - Parameters:
    ///   - heading: The identifier, author and other names of the batch.
    ///   - date: Returns the time of day.
    ///   - snapshot: Returns a snapshot of a state.
    ///   - body: Writes the parts.
    func writeBatch(
        _ heading: ChangeSet, at date: () -> Date, _ snapshot: (MemoryState) -> any StoreSnapshot,
        _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        try turn.withLock { (_) throws(StoreError) -> StoreGeneration? in
            try Self.stopIfCancelled(heading)
            let base = state
            let batch = MemoryBatch(heading, in: self, from: base, shown: snapshot(base))
            try body(batch)
            guard let next = batch.end(at: date) else { return nil }
            try Self.stopIfCancelled(heading)
            publish(next)
            return StoreGeneration(rawValue: next.generation)
        }
    }

    /// Replaces the application's metadata entries.
    func setUserInfo(_ userInfo: [String: StoredValue]) {
        turn.withLock { _ in
            var next = state
            next.generation += 1
            next.userInfo = TreeDictionary(
                uniqueKeysWithValues: userInfo.lazy.filter { !$0.value.isNull }.map {
                    ($0.key, $0.value)
                })
            publish(next)
        }
    }

    /// Changes data other than rows, without a new generation.
    @discardableResult
    func change<R: Sendable>(_ body: (inout MemoryState) -> R) -> R {
        turn.withLock { _ in
            var next = state
            let result = body(&next)
            current.withLock { $0 = next }
            return result
        }
    }

    private func publish(_ next: MemoryState) {
        current.withLock { $0 = next }
        // One call covers all commits before it.
        if isTelling.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.async { [self] in
            isTelling.store(false, ordering: .releasing)
            for body in observers.withLock({ Array($0.values) }) { body() }
        }
    }

    /// Calls a closure after each change, until the observation ends.
    func observe(_ body: @escaping @Sendable () -> Void) -> StoreObservation {
        let number = observerCount.add(1, ordering: .relaxed).newValue
        observers.withLock { $0[number] = body }
        return StoreObservation { [weak self] in
            self?.observers.withLock { $0[number] = nil }
        }
    }

    /// Ensures that keys which the caller chose are never allocated.
    func keepClear(of rows: RowList) {
        nextKeys.withLock { keys in
            for row in rows {
                let root = model[row.entityID].root.index
                keys[root] = max(keys[root], row.key == .max ? .max : row.key + 1)
            }
        }
    }

    private static func stopIfCancelled(_ changes: ChangeSet) throws(StoreError) {
        if changes.cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The save was cancelled; nothing was written.")
        }
    }
}
