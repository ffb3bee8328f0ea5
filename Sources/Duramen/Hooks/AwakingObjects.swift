/// The objects of a part that are to awake at the end of what is under way, since they were given
/// values.
struct AwakingObjects {
    /// Objects that were given values from the store.
    private(set) var fetched = ContiguousArray<ManagedObject>()
    /// Objects whose values were replaced, each with the event.
    private(set) var replaced: [(object: ManagedObject, events: SnapshotEvents)] = []

    var isEmpty: Bool { fetched.isEmpty && replaced.isEmpty }

    mutating func queueFetched(_ object: ManagedObject) { fetched.append(object) }

    mutating func queueReplaced(_ object: ManagedObject, _ events: SnapshotEvents) {
        replaced.append((object, events))
    }

    /// Takes out all objects, whose hooks may add others.
    mutating func take() -> AwakingObjects {
        defer { self = AwakingObjects() }
        return self
    }
}
