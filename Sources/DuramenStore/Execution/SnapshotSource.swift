public import DuramenModel
public import DuramenQuery

/// Related rows for the evaluator, read from a snapshot and kept for a while.
public final class SnapshotSource: EvaluationSource {
    /// Reading fails as the snapshot does.
    public typealias Failure = StoreError

    /// The most rows that are kept at once.
    private static let capacity = 16_384

    /// The store's model.
    public let model: ManagedObjectModel
    /// The store's handle.
    public let store: StoreHandle
    private let snapshot: any StoreSnapshot
    private var rows: [ManagedObjectID: Row?] = [:]

    /// Reads from a snapshot of a store.
    public init(_ snapshot: any StoreSnapshot, of store: any PersistentStore) {
        self.snapshot = snapshot
        model = store.model
        self.store = store.handle
    }

    /// Reads the row of an object, or recalls it.
    public func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if let known = rows[id] { return known }
        let row = try snapshot.rows(for: [id]).first
        if rows.count >= Self.capacity { rows.removeAll(keepingCapacity: true) }
        rows[id] = .some(row)
        return row
    }

    /// Reads where a to-many leads.
    public func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        try snapshot.destinations(of: relationship.id, from: [id]).first ?? []
    }
}
