public import DuramenModel

/// The objects of results, in order: a collection that makes each object when it is reached.
///
/// It is what the results were when it was taken, and stays so. Counting and the IDs make no
/// object; making one reads nothing while nothing has changed since, because the results hold the
/// rows. Later it may be a fault.
public struct FetchedObjects<Object: ManagedObject> {
    let content: ListContent
    /// Positions among all that is shown.
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

    /// The object at an index.
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
    /// The object of a listed row.
    func object(of row: Row, in handle: ContextHandle) -> ManagedObject {
        guard let context = handle.liveContext else {
            fatalError(
                "Duramen: results were used after their context '\(handle.contextName)' was gone. Keep the "
                    + "context for as long as its objects are used.")
        }
        let store = parts[part(of: row)].handle
        let part = context.part(for: store) ?? context.main
        // What was saved since may be newer than the row.
        let isCurrent = context.events?.lists.time == time
        let object = part.listedObject(of: row, isCurrent: isCurrent)
        context.awakeObjects()
        return object
    }
}
