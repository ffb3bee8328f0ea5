import DuramenModel
import DuramenStore

/// The objects that several saves delete, and the objects to which they refer.
///
/// One save may refer to an object and another save delete it, which versions do not show. Such
/// saves are not written together: the later one first learns of the earlier one.
struct SaveEnds {
    private var deleted: Set<ManagedObjectID> = []
    private var referred: Set<ManagedObjectID> = []

    /// Adds the changes of a later save, unless a deletion and a reference meet.
    ///
    /// - Returns: Whether the save was added.
    mutating func add(_ changes: ChangeSet, _ connection: StoreConnection) -> Bool {
        let rows = changes.inserts + changes.updates.map(\.row)
        let ends = SaveEnds(
            deleted: Set(changes.deletes.map(\.id)),
            referred: Self.ends(of: rows, changes.edges, connection))
        guard ends.deleted.isDisjoint(with: referred), ends.referred.isDisjoint(with: deleted)
        else { return false }
        deleted.formUnion(ends.deleted)
        referred.formUnion(ends.referred)
        return true
    }

    /// Adds the changes of a save that was written.
    mutating func add(_ changes: SavedChanges, _ connection: StoreConnection) {
        let (model, store) = (connection.model, connection.handle)
        deleted.formUnion(changes.deletes.map { $0.objectID(in: model, store: store) })
        let rows = changes.inserts + changes.updates.map(\.row)
        referred.formUnion(Self.ends(of: rows, changes.edges, connection))
    }

    private static func ends(
        of rows: some Sequence<Row>, _ edges: [EdgeChange], _ connection: StoreConnection
    ) -> Set<ManagedObjectID> {
        let (model, store) = (connection.model, connection.handle)
        var ends: Set<ManagedObjectID> = []
        for row in rows {
            for relationship in model[row.entityID].relationships {
                if let id = row.destination(of: relationship, in: model, store: store) {
                    ends.insert(id)
                }
            }
        }
        for pair in edges.flatMap(\.added) { ends.formUnion([pair.source, pair.destination]) }
        return ends
    }
}
