public import DuramenModel
import DuramenQuery

/// The content of a store of one model version, as objects of another version.
///
/// For stores that are rewritten when their model changes:
/// ```swift
/// let contents = MigratedContents(work, of: snapshot, in: store, path: path)
/// try contents.forEachPart(for: store.handle) { part in try newStore.save(part) }
/// ```
public struct MigratedContents {
    private let work: MigrationWork
    private let snapshot: any StoreSnapshot
    private let store: any PersistentStore
    private let path: String

    /// Creates the migrated content of one state of a store, which was opened with the model that
    /// it keeps.
    public init(
        _ work: MigrationWork, of snapshot: any StoreSnapshot, in store: any PersistentStore,
        path: String
    ) {
        self.work = work
        self.snapshot = snapshot
        self.store = store
        self.path = path
    }

    private var change: SchemaChange { work.change }

    /// Calls `body` with change sets for an empty store of the new model: first the objects, with
    /// their keys, then the many-to-many pairs.
    ///
    /// Derived attributes have their old values, or none. The store computes them once all objects
    /// exist.
    ///
    /// - Parameters:
    ///   - handle: The new store, for the IDs in the pairs.
    ///   - body: Saves a change set in the new store.
    /// - Throws: `.cancelled`; `.valuesDoNotFit` before `body` is called; the errors of the store
    ///   and of `body`.
    /// - Complexity: Counts all data, and reads it two or three times. Needs the memory of some
    ///   hundred rows, and of links that the new model stores differently.
    public func forEachPart(
        for handle: StoreHandle, _ body: (ChangeSet) throws(StoreError) -> Void
    ) throws(StoreError) {
        try checkValues()
        let translation = RowTranslation(change, try links())
        try work.note(.rows)
        // The objects are read twice: first for the rows, then for the pairs.
        let total = try count() * 2
        var done = 0
        try forEachBatch { (rows) throws(StoreError) in
            done += rows.count
            try work.note(.rows, rows: done, of: total)
            var builder = RowBatchBuilder(capacity: 4_096)
            for row in rows { translation.append(row, to: &builder) }
            var part = ChangeSet(inserts: RowList(builder.finish()))
            part.keepsDerivedValues = true
            try body(part)
        }
        try forEachBatch { (rows) throws(StoreError) in
            done += rows.count
            try work.note(.rows, rows: done, of: total)
            for relationship in change.target.relationships {
                let pairs = try pairs(of: relationship, from: rows, handle)
                if pairs.isEmpty { continue }
                var part = ChangeSet(
                    edges: [EdgeChange(relationship: relationship.id, added: pairs)])
                part.keepsDerivedValues = true
                try body(part)
            }
        }
    }

    private var walk: StoreWalk {
        StoreWalk(store, snapshot, cancellation: work.cancellation)
    }

    private func checkValues() throws(StoreError) {
        var check = MigrationRowCheck(change, path: path)
        for root in change.source.entities where root.superentity == nil && check.concerns(root) {
            try walk.forEachBatch(of: root) { (rows) throws(StoreError) in
                for row in rows { check.note(row) }
            }
        }
        try check.finish()
    }

    private func count() throws(StoreError) -> Int {
        var count = 0
        for root in change.source.entities where root.superentity == nil {
            let query = StoreQuery(entity: root.id, cancellation: work.cancellation)
            count += try QueryExecution(query, on: store, in: snapshot).count()
        }
        return count
    }

    private func forEachBatch(
        _ body: (RowBatch) throws(StoreError) -> Void
    ) throws(StoreError) {
        for root in change.source.entities where root.superentity == nil {
            try walk.forEachBatch(of: root, body)
        }
    }

    // MARK: - Links

    private func links() throws(StoreError) -> MigrationLinks {
        try MigrationLinks(change, path: path) {
            (relationship, note) throws(StoreError) in
            // The side with the order has the order numbers.
            let inverse = change.source[relationship.inverse]
            let isReversed = inverse.isOrdered
            let side = isReversed ? inverse : relationship
            let root = change.source[change.source[side.declaringEntity].root]
            try walk.forEachBatch(of: root) { (rows) throws(StoreError) in
                try forEachLink(of: side.id, from: rows) { source, destination, order in
                    guard let from = change.source.entity(of: source),
                        let to = change.source.entity(of: destination)
                    else { return }
                    let ends = ((source.key, from.id), (destination.key, to.id))
                    note(
                        isReversed
                            ? .init(from: ends.1, to: ends.0, number: order)
                            : .init(from: ends.0, to: ends.1))
                }
            }
        }
    }

    /// The pairs of a new relationship whose sources are some old rows.
    private func pairs(
        of relationship: Relationship, from rows: RowBatch, _ handle: StoreHandle
    ) throws(StoreError) -> [EdgeChange.Edge] {
        guard case .manyToMany = relationship.storage else { return [] }
        // Without order numbers a pair is the same from both sides.
        if !relationship.isOrdered, relationship.inverse < relationship.id { return [] }
        var pairs: [EdgeChange.Edge] = []
        func add(_ source: ManagedObjectID, _ destination: ManagedObjectID, _ order: Int64?) {
            guard let source = id(source, handle), let destination = id(destination, handle) else {
                return
            }
            pairs.append(
                .init(
                    from: source, to: destination, order: relationship.isOrdered ? order : nil))
        }
        for id in change.sourceRelationships[relationship.id.index] {
            try forEachLink(of: id, from: rows, add)
        }
        return pairs
    }

    /// Calls `body` with the links of an old relationship whose sources are some rows, and the
    /// order numbers of the destinations.
    private func forEachLink(
        of id: RelationshipID, from rows: RowBatch,
        _ body: (ManagedObjectID, ManagedObjectID, Int64?) -> Void
    ) throws(StoreError) {
        let before = change.source[id]
        let owner = change.source[before.declaringEntity]
        let owners = rows.filter { change.source[$0.entityID].isKind(of: owner) }
        if owners.isEmpty { return }
        let ids = owners.map { $0.objectID(in: change.source, store: store.handle) }
        if !before.isToMany {
            var found: [(source: ManagedObjectID, destination: ManagedObjectID)] = []
            for (row, source) in zip(owners, ids) {
                let own = change.source[row.entityID].relationship(id) ?? before
                let destination = row.destination(
                    of: own, in: change.source, store: store.handle)
                if let destination { found.append((source, destination)) }
            }
            // A reference to a deleted object is not a link.
            let present = Set(
                try snapshot.rows(for: found.map(\.destination)).map {
                    $0.objectID(in: change.source, store: store.handle)
                })
            for (source, destination) in found where present.contains(destination) {
                body(source, destination, nil)
            }
        } else if before.isOrdered {
            let lists = try snapshot.orderedDestinations(of: id, from: ids)
            for (source, list) in zip(ids, lists) {
                for member in list { body(source, member.id, member.order) }
            }
        } else {
            let lists = try snapshot.destinations(of: id, from: ids)
            for (source, list) in zip(ids, lists) {
                for destination in list { body(source, destination, nil) }
            }
        }
    }

    /// The new ID of an old object; nil if its entity is removed.
    private func id(_ old: ManagedObjectID, _ handle: StoreHandle) -> ManagedObjectID? {
        guard let entity = change.source.entity(of: old),
            let new = change.targetEntity(entity.id)
        else { return nil }
        return ManagedObjectID(
            store: handle, entity: change.target[new].handle, key: old.key)
    }
}
