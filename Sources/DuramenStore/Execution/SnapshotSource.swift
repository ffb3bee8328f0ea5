public import DuramenModel
public import DuramenQuery

/// The rows of a snapshot, for evaluating predicates and sort keys, with a cache of recent rows.
///
/// Used by one task at a time.
public final class SnapshotSource: EvaluationSource {
    // Enough for the destinations of many rows, such as a few thousand regions of a million quakes.
    private static let capacity = 4096

    /// The model of the rows.
    public let model: ManagedObjectModel
    /// The store of the rows.
    public let store: StoreHandle

    private let snapshot: any StoreSnapshot
    private var cache: [ManagedObjectID: Row?] = [:]

    /// Creates a source that reads from a snapshot of a store.
    public init(_ store: any PersistentStore, _ snapshot: any StoreSnapshot) {
        model = store.model
        self.store = store.handle
        self.snapshot = snapshot
    }

    /// Returns the row of an object; nil if it does not exist.
    public func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if let known = cache[id] { return known }
        let row = try snapshot.row(for: id)
        if cache.count >= Self.capacity { cache.removeAll(keepingCapacity: true) }
        cache.updateValue(row, forKey: id)
        return row
    }

    /// Returns the destinations of a to-many relationship.
    public func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        try snapshot.destinations(of: relationship.id, from: [id]).first ?? []
    }

    /// The ID of a row of the snapshot.
    func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }
}
