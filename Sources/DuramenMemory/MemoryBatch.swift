import DuramenModel
import DuramenStore
import Foundation
import HashTreeCollections

/// The parts of a batch: states that are not visible before the last one is published.
final class MemoryBatch: BatchTransaction {
    let base: any StoreSnapshot
    private let heading: ChangeSet
    private let database: MemoryDatabase
    private var state: MemoryState
    private var hasWritten: Bool
    /// The transaction for the history; nil when no history was started.
    private var transaction: MemoryTransaction?

    init(
        _ heading: ChangeSet, in database: MemoryDatabase, from state: MemoryState,
        shown base: any StoreSnapshot
    ) {
        self.heading = heading
        self.database = database
        self.state = state
        self.base = base
        hasWritten = !heading.metadata.isEmpty
        if state.history != nil {
            transaction = MemoryTransaction(
                heading, number: state.generation + 1, at: .distantPast, in: database)
        }
    }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try database.allocateKeys(count, root: database.model[entity].root)
    }

    func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict] {
        let part = try database.complete(
            part, in: state, withinBatchOf: RowVersion(rawValue: state.generation + 1)
        ).changes
        var save = MemorySave(
            state, model: database.model, store: StoreHandle(uuid: database.uuid))
        try save.apply(part)
        let conflicts = try save.conflicts.ofPart()
        if !conflicts.isEmpty { return conflicts }
        database.keepClear(of: part.inserts)
        transaction?.add(part, from: state)
        state = save.next
        // All parts create one state.
        state.generation -= 1
        hasWritten = true
        return []
    }

    /// Returns the state that the batch creates; nil when nothing was written.
    ///
    /// - Parameter date: Returns the time of day.
    func end(at date: () -> Date) -> MemoryState? {
        if !hasWritten { return nil }
        var next = state
        next.generation += 1
        if var transaction {
            transaction.date = date()
            next.history?.add(transaction)
        }
        for (name, value) in heading.metadata { next.userInfo[name] = value.isNull ? nil : value }
        next.remember(save: heading.identifier)
        return next
    }
}
