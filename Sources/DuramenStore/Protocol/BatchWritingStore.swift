public import DuramenModel
public import DuramenQuery

/// A store that writes any number of change sets in one transaction.
///
/// It declares ``StoreCapabilities/batches``, and adds a law to those of ``PersistentStore``: a
/// batch is all or nothing like a save, makes one state, is found by its identifier, and needs the
/// memory of one part at a time.
public protocol BatchWritingStore: PersistentStore {
    /// Writes a batch, whole or not at all.
    ///
    /// - Parameters:
    ///   - heading: What names the batch: a change set with an identifier, an author, a context
    ///     name, metadata and a cancellation, and without edits.
    ///   - body: Writes the parts, alone among all who write to the store, and may not write to it
    ///     in any other way. When it throws, nothing is written.
    /// - Returns: The state that the batch made; nil when nothing was written.
    /// - Throws: What `body` throws; what ``PersistentStore/save(_:)`` throws.
    func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration?
}

/// The transaction of a batch, good within the closure that is given it.
public protocol BatchTransaction: AnyObject {
    /// The state before the batch.
    var base: any StoreSnapshot { get }

    /// Hands out keys, which are lost when the batch is not committed.
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64>

    /// Writes a part: the edits of a change set, judged against what the parts before have left.
    ///
    /// What names the part counts for nothing.
    ///
    /// - Returns: The rows that would share unique values. When there are any, nothing of the part
    ///   was written, and another one may be.
    /// - Throws: `.invalidRequest` when a base version is not that of the row.
    func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict]

    /// Inserts rows, and updates stored rows with the same unique values, in the engine's own way.
    ///
    /// By default there is none. A store answers nil to every such call within a batch, or to none.
    /// - Parameters:
    ///   - rows: Rows without pairs, of one entity without sub-entities and with one constraint.
    ///   - slots: The values that a stored row takes over; nil leaves it as it is.
    /// - Returns: The keys of the rows that were written, in their order; rows that were left out
    ///   have none. Nil when the caller is to write row by row; nothing was written then.
    func upsert(_ rows: RowList, taking slots: SlotSet?) throws(StoreError) -> [Int64]?

    /// Sets values in all rows that fulfil a query, in the engine's own way. By default not
    /// supported.
    ///
    /// - Parameters:
    ///   - query: One without order and window that the store answers whole.
    ///   - slots: Where the values go, in rows of all entities that are asked for; no constraint
    ///     names one.
    ///   - values: A row with the values.
    /// - Returns: How many rows there were, each of which has a new version; nil when the caller is
    ///   to write row by row.
    func update(
        _ query: StoreQuery, _ slots: SlotSet, to values: Row
    ) throws(StoreError) -> Int?

    /// Deletes all rows that fulfil a query, in the engine's own way. By default not supported.
    ///
    /// - Parameter query: One without order and window that the store answers whole, of entities
    ///   that no rule leads from.
    /// - Returns: How many rows there were; nil when the caller is to write row by row.
    func delete(_ query: StoreQuery) throws(StoreError) -> Int?
}

extension BatchTransaction {
    /// Leaves the rows to the caller.
    public func upsert(
        _ rows: RowList, taking slots: SlotSet?
    ) throws(StoreError) -> [Int64]? { nil }

    /// Leaves the rows to the caller.
    public func update(
        _ query: StoreQuery, _ slots: SlotSet, to values: Row
    ) throws(StoreError) -> Int? { nil }

    /// Leaves the rows to the caller.
    public func delete(_ query: StoreQuery) throws(StoreError) -> Int? { nil }
}

extension PersistentStore {
    /// The store, if it writes batches.
    ///
    /// - Throws: `.unsupported` when it does not declare ``StoreCapabilities/batches``.
    public func batchWriting() throws(StoreError) -> any BatchWritingStore {
        guard capabilities.contains(.batches), let store = self as? any BatchWritingStore else {
            throw StoreError(
                .unsupported,
                "The store writes no batches; save objects, or use a store with the capability.")
        }
        return store
    }
}

extension [StoreConflict] {
    /// The conflicts of a part of a batch, which are of unique values.
    ///
    /// - Throws: `.invalidRequest` when a base version is not that of the row.
    public func ofPart() throws(StoreError) -> [UniquenessConflict] {
        var found: [UniquenessConflict] = []
        for conflict in self {
            switch conflict {
            case .uniqueness(let conflict): found.append(conflict)
            case .version(let conflict):
                throw StoreError(
                    .invalidRequest,
                    "A part of a batch is based on another version of \(conflict.id) than is stored; read the row "
                        + "again.", objectID: conflict.id)
            }
        }
        return found
    }
}
