import DuramenModel
import DuramenStore
import HashTreeCollections

/// The parts of a batch: states that nobody sees before the last one is published.
final class MemoryBatch: BatchTransaction {
    let base: any StoreSnapshot
    private let heading: ChangeSet
    private let database: MemoryDatabase
    private var state: MemoryState
    private var hasWritten: Bool

    init(
        _ heading: ChangeSet, in database: MemoryDatabase, from state: MemoryState,
        shown base: any StoreSnapshot
    ) {
        self.heading = heading
        self.database = database
        self.state = state
        self.base = base
        hasWritten = !heading.metadata.isEmpty
    }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try database.allocateKeys(count, root: database.model[entity].root)
    }

    func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict] {
        var save = MemorySave(
            state, model: database.model, store: StoreHandle(uuid: database.uuid))
        try save.apply(part)
        let conflicts = try save.conflicts.ofPart()
        if !conflicts.isEmpty { return conflicts }
        database.keepClear(of: part.inserts)
        state = save.next
        // All parts make one state.
        state.generation -= 1
        hasWritten = true
        return []
    }

    /// The state that the batch makes; nil when it makes none.
    func end() -> MemoryState? {
        if !hasWritten { return nil }
        var next = state
        next.generation += 1
        for (name, value) in heading.metadata { next.userInfo[name] = value.isNull ? nil : value }
        next.remember(save: heading.identifier)
        return next
    }
}
