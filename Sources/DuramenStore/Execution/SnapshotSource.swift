public import DuramenModel
public import DuramenQuery

/// The rows of a snapshot, for evaluating predicates and sort keys, with a cache of recent rows.
///
/// If you announce the rows that you evaluate, the source reads ahead: with one row's destination
/// it also reads those of the rows behind it, so that a store on a server needs one round trip for
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

    /// Announces the rows that will be evaluated next, from the first one on.
    ///
    /// - Parameter rows: Returns the rows in the order of their evaluation; called when the first
    ///   unknown object is requested.
    public func expect(_ rows: @escaping () -> [Row]) { ahead.expect(rows) }

    /// Sets the index of the announced row that is evaluated now.
    public func advance(to index: Int) { ahead.advance(to: index) }

    /// Announces objects whose rows will be requested, in this order.
    package func expect(_ ids: [ManagedObjectID]) { ahead.expect(ids) }

    /// Returns the row of an object; nil if it does not exist.
    public func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        let found: ReadAhead.Place?
        if let known = cache[id] {
            ahead.noteKnown(id)
            found = known
        } else {
            try read(ahead.rows(from: id) { cache[$0] != nil })
            found = cache[id] ?? nil
        }
        guard let place = found else { return nil }
        ahead.note(place)
        return place.row
    }

    /// Returns the destinations of a to-many relationship.
    public func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        if let known = ahead.list(relationship.id, of: id) { return Array(known) }
        let owners = ahead.owners(from: id, relationship)
        do throws(StoreError) {
            return try read(relationship.id, of: owners)
        } catch {
            guard owners.count > 1, Self.concernsSome(error) else { throw error }
            ahead.noteFailure(of: owners, relationship.id)
            return try read(relationship.id, of: [id])
        }
    }

    /// Reads lists, and returns the first one.
    private func read(
        _ relationship: RelationshipID, of owners: [ManagedObjectID]
    ) throws(StoreError) -> [ManagedObjectID] {
        let lists = try snapshot.destinations(of: relationship, from: owners)
        ahead.note(lists, of: owners, relationship)
        return lists.first ?? []
    }

    /// Reads rows into the cache, at least the first one.
    private func read(_ ids: [ManagedObjectID]) throws(StoreError) {
        if cache.count + ids.count > Self.capacity { cache.removeAll(keepingCapacity: true) }
        if ids.count > 1, try readTogether(ids) { return }
        // A context as a store knows an object by several IDs, so the row may have another one.
        let row = try snapshot.row(for: ids[0])
        cache.updateValue(
            row.map { ReadAhead.Place(group: ReadAhead.Group([$0]), index: 0) }, forKey: ids[0])
    }

    /// - Returns: False if the rows cannot be read together, or are not all of their own IDs.
    private func readTogether(_ ids: [ManagedObjectID]) throws(StoreError) -> Bool {
        let group: ReadAhead.Group
        do throws(StoreError) {
            group = ReadAhead.Group(Array(try snapshot.rows(for: ids)))
        } catch {
            guard Self.concernsSome(error) else { throw error }
            ahead.noteFailure(of: ids, isTooLarge: error.code == .tooLarge)
            return false
        }
        var places = Dictionary(
            group.rows.indices.map { (id(of: group.rows[$0]), $0) }, uniquingKeysWith: { $1 })
        let isEachItsOwn = places.count == group.rows.count
        let found = ids.map { id in
            places.removeValue(forKey: id).map { ReadAhead.Place(group: group, index: $0) }
        }
        guard isEachItsOwn, places.isEmpty else {
            ahead.noteFailure(of: ids, isTooLarge: false)
            return false
        }
        for (id, place) in zip(ids, found) { cache.updateValue(place, forKey: id) }
        return true
    }

    /// Whether fewer rows may be read without the error. Nobody has requested the others, which may
    /// be damaged, or too large together.
    private static func concernsSome(_ error: StoreError) -> Bool {
        [.tooLarge, .damagedValue, .damagedFile, .io, .storeBusy].contains(error.code)
    }

    /// The ID of a row of the snapshot.
    func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }
}
