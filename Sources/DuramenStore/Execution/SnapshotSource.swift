public import DuramenModel
public import DuramenQuery

/// The rows of a snapshot, for evaluating predicates and sort keys, with a cache of recent rows.
///
/// If you announce the rows that you evaluate, the source reads ahead: for one row's destination it
/// also reads those of the rows behind it, so that a store on a server needs a round trip for
/// hundreds of rows. The values do not depend on it.
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
    private var cache: [ManagedObjectID: ReadAhead.Place?] = [:]
    private let ahead: ReadAhead

    /// Creates a source that reads from a snapshot of a store.
    public init(_ store: any PersistentStore, _ snapshot: any StoreSnapshot) {
        model = store.model
        self.store = store.handle
        self.snapshot = snapshot
        ahead = ReadAhead(store.model, store.handle)
    }

    /// Announces the rows that will be evaluated next.
    ///
    /// - Parameter rows: Returns the rows in the order of their evaluation; called when the first
    ///   of them refers to a row that is not known.
    public func expect(_ rows: @escaping () -> [Row]) { ahead.expect(rows) }

    /// Reads rows together that will be requested, as many as the cache can hold.
    package func read(_ ids: [ManagedObjectID]) throws(StoreError) {
        let unknown = Set(ids.filter { cache[$0] == nil }).sorted().prefix(Self.capacity / 2)
        var rest = unknown[...]
        while !rest.isEmpty {
            try readTogether(Array(rest.prefix(ReadAhead.mostRows)))
            rest = rest.dropFirst(ReadAhead.mostRows)
        }
    }

    /// Returns the row of an object; nil if it does not exist.
    public func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if let known = cache[id] {
            ahead.last = known
            return known?.row
        }
        try readTogether(ahead.rows(from: id) { cache[$0] != nil })
        ahead.last = cache[id] ?? nil
        return ahead.last?.row
    }

    /// Returns the destinations of a to-many relationship.
    public func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        if let known = ahead.list(relationship.id, of: id) { return Array(known) }
        let owners = ahead.owners(from: id, relationship)
        do throws(StoreError) {
            let lists = try snapshot.destinations(of: relationship.id, from: owners)
            ahead.note(lists, of: owners, relationship.id)
            return lists.first ?? []
        } catch {
            guard owners.count > 1 else { throw error }
            ahead.stop()
            return try snapshot.destinations(of: relationship.id, from: [id]).first ?? []
        }
    }

    /// Reads rows into the cache. If it fails, nobody has asked for the rows behind the first one.
    private func readTogether(_ ids: [ManagedObjectID]) throws(StoreError) {
        if cache.count + ids.count > Self.capacity { cache.removeAll(keepingCapacity: true) }
        if ids.count > 1 {
            do throws(StoreError) {
                return note(try snapshot.rows(for: ids), of: ids)
            } catch {
                ahead.stop()
            }
        }
        let row = try snapshot.row(for: ids[0])
        note(row.map { [$0] } ?? [], of: [ids[0]])
    }

    private func note(_ rows: some Collection<Row>, of ids: [ManagedObjectID]) {
        for id in ids { cache.updateValue(nil, forKey: id) }
        let group = ReadAhead.Group(Array(rows))
        for (index, row) in group.rows.enumerated() {
            cache.updateValue(ReadAhead.Place(group: group, index: index), forKey: self.id(of: row))
        }
    }

    /// The ID of a row of the snapshot.
    func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }
}
