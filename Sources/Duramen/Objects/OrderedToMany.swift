public import DuramenModel
public import DuramenQuery

/// The destinations of an ordered to-many: a lazy collection without duplicates, in the order that
/// the application sets.
///
/// Its IDs are loaded on first use, in one statement for all objects that were fetched together.
/// Its objects may be faults. Changing it updates the inverse at once; setting the inverse appends
/// here. When two contexts change one collection, a merge combines their additions, removals and
/// moves. If both move one object, the later save wins.
public struct OrderedToMany<Element: ManagedObject>: ToManyCollection {
    /// The object that has the relationship.
    let owner: ManagedObject
    let index: Int

    init(owner: ManagedObject, index: Int) {
        self.owner = owner
        self.index = index
    }

    /// The IDs of the destinations, in their order.
    public var objectIDs: [ManagedObjectID] { owner.members(at: index) }

    /// Whether an object is among the destinations. Loads no object.
    public func contains(_ element: Element) -> Bool { contains(element.objectID) }

    /// Whether the object with an ID is among the destinations. Loads no object.
    public func contains(_ id: ManagedObjectID) -> Bool { owner.hasMember(id, at: index) }

    /// Returns the index of an object; nil if it is not among the destinations. Loads no object.
    public func index(of element: Element) -> Int? {
        owner.position(of: element.objectID, at: index)
    }

    /// Appends an object. An existing destination keeps its position.
    public func append(_ element: Element) { owner.insertMember(element, at: index) }

    /// Appends objects. Existing destinations keep their positions.
    public func append(contentsOf elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    /// Inserts an object before an index, or at the end. An existing destination is moved; the
    /// index is counted without it.
    ///
    /// - Parameters:
    ///   - element: The object.
    ///   - position: The index, from 0 to the number of other objects; traps otherwise.
    public func insert(_ element: Element, at position: Int) {
        owner.insertMember(element, at: index)
        owner.placeMember(element.objectID, position, at: index)
    }

    /// Moves the object at one index to another, counted without the object.
    public func move(from source: Int, to position: Int) {
        owner.placeMember(self[source].objectID, position, at: index)
    }

    /// Removes an object. Does nothing if it is not among the destinations.
    public func remove(_ element: Element) { owner.removeMember(element, at: index) }

    /// Removes and returns the object at an index.
    @discardableResult public func remove(at position: Int) -> Element {
        let element = self[position]
        remove(element)
        return element
    }

    /// Removes all objects.
    public func removeAll() {
        for element in Array(self) { remove(element) }
    }

    /// Replaces the destinations by other objects, in their order. The first position of a
    /// duplicate counts.
    public func replace(with elements: some Sequence<Element>) {
        let list = Array(elements)
        let wanted = Set(list)
        let known = Set(self)
        for element in known where !wanted.contains(element) { remove(element) }
        // Existing destinations are not edits, because another save may remove them.
        append(contentsOf: list.filter { !known.contains($0) })
        owner.arrangeMembers(list.map(\.objectID), at: index)
    }
}

extension OrderedToMany: RandomAccessCollection {
    /// Whether the to-many is empty. Loads no object.
    public var isEmpty: Bool { endIndex == 0 }

    /// The number of destinations. Loads no object.
    public var count: Int { endIndex }

    /// The index of the first element.
    public var startIndex: Int { 0 }

    /// The number of destinations. Loads no object.
    public var endIndex: Int { owner.orderedMemberCount(at: index) }

    /// Accesses the object at an index, which may be a fault. Setting it replaces the object there.
    /// A member that is set at another index moves to that index.
    public subscript(position: Int) -> Element {
        get { owner.orderedMember(position, at: index) }
        nonmutating set {
            let old = self[position]
            if old === newValue { return }
            // A member moves to the position.
            let end = contains(newValue) ? count - 2 : count - 1
            remove(old)
            insert(newValue, at: Swift.min(position, end))
        }
    }

    /// Returns an iterator over the present destinations; later changes do not affect it.
    public func makeIterator() -> AnyIterator<Element> {
        ToMany<Element>(owner: owner, index: index).makeIterator()
    }
}

@available(*, unavailable, message: "a to-many belongs to its object's context; pass objectIDs")
extension OrderedToMany: Sendable {}
