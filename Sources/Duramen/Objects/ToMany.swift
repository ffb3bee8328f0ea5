public import DuramenModel
public import DuramenQuery

/// The destinations of a to-many: a lazy, unordered collection without duplicates.
///
/// Its IDs are loaded on first use, in one statement for all objects that were fetched together.
/// Its objects may be faults. Changing it updates the inverse at once. ``count``, ``isEmpty`` and
/// ``contains(_:)-(Element)`` need only the IDs, and load no object. Elements are in the ascending
/// order of their IDs.
public struct ToMany<Element: ManagedObject>: ToManyCollection {
    /// The object that has the relationship.
    let owner: ManagedObject
    let index: Int

    init(owner: ManagedObject, index: Int) {
        self.owner = owner
        self.index = index
    }

    /// The IDs of the destinations.
    public var objectIDs: [ManagedObjectID] { owner.members(at: index) }

    /// Whether an object is among the destinations. Loads no object.
    public func contains(_ element: Element) -> Bool { contains(element.objectID) }

    /// Whether the object with an ID is among the destinations. Loads no object.
    public func contains(_ id: ManagedObjectID) -> Bool { owner.hasMember(id, at: index) }

    /// Adds an object. Does nothing if it is already among the destinations.
    public func insert(_ element: Element) { owner.insertMember(element, at: index) }

    /// Adds an object, like ``insert(_:)``. Elements keep the order of their IDs.
    public func append(_ element: Element) { insert(element) }

    /// Adds objects, like ``insert(contentsOf:)``.
    public func append(contentsOf elements: some Sequence<Element>) { insert(contentsOf: elements) }

    /// Adds objects.
    public func insert(contentsOf elements: some Sequence<Element>) {
        for element in elements { insert(element) }
    }

    /// Removes an object. Does nothing if it is not among the destinations.
    public func remove(_ element: Element) { owner.removeMember(element, at: index) }

    /// Removes all objects.
    public func removeAll() {
        for element in Array(self) { remove(element) }
    }

    /// Replaces the destinations: removes objects that are not in `elements`, and adds missing
    /// ones.
    public func replace(with elements: some Sequence<Element>) {
        let wanted = Set(elements)
        let known = Set(self)
        for element in known where !wanted.contains(element) { remove(element) }
        // Existing destinations are not edits, because another save may remove them.
        for element in wanted where !known.contains(element) { insert(element) }
    }
}

extension ToMany: RandomAccessCollection {
    /// Whether the to-many is empty. Loads no object.
    public var isEmpty: Bool { endIndex == 0 }

    /// The number of destinations. Loads no object.
    public var count: Int { endIndex }

    /// The index of the first element.
    public var startIndex: Int { 0 }

    /// The number of destinations. Loads no object.
    public var endIndex: Int { owner.memberCount(at: index) }

    /// Returns the object at an index, which may be a fault.
    public subscript(position: Int) -> Element {
        owner.member(position, of: owner.members(at: index), at: index)
    }

    /// Returns an iterator over the present destinations; later changes do not affect it.
    public func makeIterator() -> AnyIterator<Element> {
        let members = owner.members(at: index)
        var position = 0
        return AnyIterator { [owner, index] in
            guard position < members.count else { return nil }
            defer { position += 1 }
            return owner.member(position, of: members, at: index)
        }
    }
}

@available(*, unavailable, message: "a to-many belongs to its object's context; pass objectIDs")
extension ToMany: Sendable {}
