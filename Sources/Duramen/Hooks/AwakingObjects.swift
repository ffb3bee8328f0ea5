/// The objects of a part that got values, and whose awake hooks run at the end of the present
/// operation.
struct AwakingObjects {
    /// Objects that got values from the store.
    private(set) var fetched = ContiguousArray<ManagedObject>()
    /// Objects whose values were replaced, each with the reason.
    private(set) var replaced: [(object: ManagedObject, events: SnapshotEvents)] = []

    var isEmpty: Bool { fetched.isEmpty && replaced.isEmpty }

    mutating func queueFetched(_ object: ManagedObject) { fetched.append(object) }

    mutating func queueReplaced(_ object: ManagedObject, _ events: SnapshotEvents) {
        replaced.append((object, events))
    }

    /// Removes and returns all objects. Their hooks may add others.
    mutating func take() -> AwakingObjects {
        defer { self = AwakingObjects() }
        return self
    }
}
