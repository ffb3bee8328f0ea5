public import DuramenModel
public import DuramenQuery

/// A store that writes any number of change sets in one transaction.
///
/// It declares ``StoreCapabilities/batches``, and adds a law to those of ``PersistentStore``. Like
/// a save, a batch is all or nothing, creates one state and is found by its identifier. It needs
/// the memory of one part at a time.
public protocol BatchWritingStore: PersistentStore {
    /// Writes a batch, whole or not at all.
    ///
    /// - Parameters:
    ///   - heading: A change set without edits: the identifier, author, context name, metadata and
    ///     cancellation of the batch.
    ///   - body: Writes the parts, while nobody else writes to the store. It must not write to the
    ///     store in any other way. When it throws, nothing is written.
    /// - Returns: The state that the batch created; nil when nothing was written.
    /// - Throws: Any error of `body` or of ``PersistentStore/save(_:)``.
    func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration?
}

/// The transaction of a batch, valid within the closure that receives it.
public protocol BatchTransaction: AnyObject {
    /// The state before the batch.
    var base: any StoreSnapshot { get }

    /// Allocates keys, which are lost when the batch is not committed.
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64>

    /// Writes a part: the edits of a change set, checked against the result of the earlier parts.
    ///
    /// The part's identifier, author and other names are ignored.
    ///
    /// - Returns: The rows that would share unique values. If there are any, nothing of the part
    ///   was written, and you may write another part.
    /// - Throws: `.invalidRequest` when a base version is not that of the row.
    func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict]

    /// Inserts rows, and updates stored rows with equal unique values, in the engine's own way.
    ///
    /// A row that repeats the unique values of an earlier row updates that row. The default
    /// implementation returns nil.
    /// - Parameters:
    ///   - rows: Rows without pairs, of one entity without sub-entities and with one constraint.
    ///   - slots: For each row, the slots that are updated in a stored row; nil leaves stored rows
    ///     unchanged.
    /// - Returns: The keys of the written rows, in their order, without those of skipped rows. Nil
    ///   if the caller is to write row by row; then nothing was written.
    func upsert(_ rows: RowList, taking slots: [SlotSet]?) throws(StoreError) -> [Int64]?

    /// Sets values in all rows that match a query, in the engine's own way. By default not
    /// supported.
    ///
    /// - Parameters:
    ///   - query: A query without order and window that the store evaluates completely.
    ///   - slots: The slots to set, equal in all entities of the query and in no constraint.
    ///   - values: A row with the values.
    /// - Returns: The number of updated rows, each of which has a new version; nil if the caller is
    ///   to write row by row.
    func update(
        _ query: StoreQuery, _ slots: SlotSet, to values: Row
    ) throws(StoreError) -> Int?

    /// Deletes all rows that match a query, in the engine's own way. By default not supported.
    ///
    /// - Parameter query: A query without order and window that the store evaluates completely, of
    ///   entities without delete rules that affect other objects.
    /// - Returns: The number of deleted rows; nil if the caller is to write row by row.
    func delete(_ query: StoreQuery) throws(StoreError) -> Int?
}

extension BatchTransaction {
    /// Returns nil, so that the caller writes row by row.
    public func upsert(
        _ rows: RowList, taking slots: [SlotSet]?
    ) throws(StoreError) -> [Int64]? { nil }

    /// Returns nil, so that the caller writes row by row.
    public func update(
        _ query: StoreQuery, _ slots: SlotSet, to values: Row
    ) throws(StoreError) -> Int? { nil }

    /// Returns nil, so that the caller deletes row by row.
    public func delete(_ query: StoreQuery) throws(StoreError) -> Int? { nil }
}

extension PersistentStore {
    /// Returns the store as one that writes batches.
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
    /// Returns the conflicts of a part of a batch, all of which are of unique values.
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
