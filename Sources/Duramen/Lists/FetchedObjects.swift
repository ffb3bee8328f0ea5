public import DuramenModel

/// The objects of results, in order: a collection that creates each object on access.
///
/// It shows the results at one moment and does not change. Counting and IDs create no objects.
/// While the context has not changed since, creating an object loads nothing, because the results
/// hold the rows. Later the object may be a fault.
public struct FetchedObjects<Object: ManagedObject> {
    let content: ListContent
    /// The positions among all rows that are shown.
    let range: Range<Int>
    let handle: ContextHandle

    /// The IDs of the objects, in order.
    public var objectIDs: [ManagedObjectID] { range.map { content.id(of: content[$0]) } }
}

extension FetchedObjects: RandomAccessCollection {
    /// The index of the first object.
    public var startIndex: Int { 0 }

    /// The number of objects.
    public var endIndex: Int { range.count }

    /// Returns the object at an index.
    public subscript(position: Int) -> Object {
        precondition(
            0..<range.count ~= position,
            "Duramen: there are \(range.count) results, and none at \(position).")
        let row = content[range.lowerBound + position]
        // Sound: the classes of all entities of the results were checked.
        return unsafeDowncast(content.object(of: row, in: handle), to: Object.self)
    }
}

@available(
    *, unavailable, message: "results belong to their context; pass objectIDs, or a snapshot"
)
extension FetchedObjects: Sendable {}

extension ListContent {
    /// Returns the object of a listed row.
    func object(of row: Row, in handle: ContextHandle) -> ManagedObject {
        guard let context = handle.liveContext else {
            fatalError(
                "Duramen: results were used after their context '\(handle.contextName)' was gone. Keep the "
                    + "context for as long as its objects are used.")
        }
        let store = parts[part(of: row)].handle
        let part = context.part(for: store) ?? context.main
        // The row is outdated if anything changed since.
        let isCurrent = context.events?.lists.time == time
        let object = part.listedObject(of: row, isCurrent: isCurrent)
        context.awakeObjects()
        return object
    }
}
