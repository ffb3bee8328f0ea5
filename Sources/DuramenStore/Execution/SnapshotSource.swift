public import DuramenModel
public import DuramenQuery

/// The rows of a snapshot, for evaluating predicates and sort keys, with the last ones kept.
///
/// Used by one task at a time.
public final class SnapshotSource: EvaluationSource {
    // Enough for the destinations of many rows, such as a few thousand regions of a million quakes.
    private static let capacity = 4096

    /// The model that the rows follow.
    public let model: ManagedObjectModel
    /// The store that the rows come from.
    public let store: StoreHandle

    private let snapshot: any StoreSnapshot
    private var cache: [ManagedObjectID: Row?] = [:]

    /// Reads from a snapshot of a store.
    public init(_ store: any PersistentStore, _ snapshot: any StoreSnapshot) {
        model = store.model
        self.store = store.handle
        self.snapshot = snapshot
    }

    /// Reads the row of an object; nil when there is none.
    public func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if let known = cache[id] { return known }
        let row = try snapshot.row(for: id)
        if cache.count >= Self.capacity { cache.removeAll(keepingCapacity: true) }
        cache.updateValue(row, forKey: id)
        return row
    }

    /// Reads where a to-many leads.
    public func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        try snapshot.destinations(of: relationship.id, from: [id]).first ?? []
    }

    /// The identity of a row of the snapshot.
    func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }
}
