public import DuramenModel
public import DuramenQuery

/// The destinations of an ordered to-many: a lazy collection without duplicates, in the order that
/// the application gives it.
///
/// Its IDs are read when they are needed first, in one statement for all objects that were fetched
/// together; its objects may be faults. Changing it changes the other side at once; setting the
/// other side appends here. What two contexts add, remove and move in one collection adds up when
/// they are merged; of two moves of one object the later save's counts.
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

    /// Whether an object is among the destinations. No object is read.
    public func contains(_ element: Element) -> Bool { contains(element.objectID) }

    /// Whether an object is among the destinations. No object is read.
    public func contains(_ id: ManagedObjectID) -> Bool { owner.hasMember(id, at: index) }

    /// The index of an object; nil when it is not among the destinations. No object is read.
    public func index(of element: Element) -> Int? {
        owner.position(of: element.objectID, at: index)
    }

    /// Puts an object at the end. One that is there already stays where it is.
    public func append(_ element: Element) { owner.insertMember(element, at: index) }

    /// Puts objects at the end.
    public func append(contentsOf elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    /// Puts an object before the one at an index, or at the end. One that is there already is
    /// moved, and the index is counted without it.
    ///
    /// - Parameter position: At least 0, and at most the number of other objects; a programmer's
    ///   mistake otherwise.
    public func insert(_ element: Element, at position: Int) {
        owner.insertMember(element, at: index)
        owner.placeMember(element.objectID, position, at: index)
    }

    /// Moves the object at one place to another, where it then is.
    public func move(from source: Int, to position: Int) {
        owner.placeMember(self[source].objectID, position, at: index)
    }

    /// Takes an object out. One that is not there stays so.
    public func remove(_ element: Element) { owner.removeMember(element, at: index) }

    /// Takes out the object at an index.
    @discardableResult public func remove(at position: Int) -> Element {
        let element = self[position]
        remove(element)
        return element
    }

    /// Takes all objects out.
    public func removeAll() {
        for element in Array(self) { remove(element) }
    }

    /// Makes these the destinations, in this order; of an object that comes twice the first
    /// position counts.
    public func replace(with elements: some Sequence<Element>) {
        let list = Array(elements)
        let wanted = Set(list)
        let known = Set(self)
        for element in known where !wanted.contains(element) { remove(element) }
        // What is there already is no edit: somebody else may take it out.
        append(contentsOf: list.filter { !known.contains($0) })
        owner.arrangeMembers(list.map(\.objectID), at: index)
    }
}

extension OrderedToMany: RandomAccessCollection {
    /// Whether the to-many is empty. Reads no object.
    public var isEmpty: Bool { endIndex == 0 }

    /// The number of destinations. Reads no object.
    public var count: Int { endIndex }

    /// The index of the first element.
    public var startIndex: Int { 0 }

    /// The number of destinations. No object is read.
    public var endIndex: Int { owner.orderedMemberCount(at: index) }

    /// The object at a position, which may be a fault. Setting it replaces the object there.
    public subscript(position: Int) -> Element {
        get { owner.orderedMember(position, at: index) }
        nonmutating set {
            let old = self[position]
            if old === newValue { return }
            remove(old)
            insert(newValue, at: Swift.min(position, count))
        }
    }

    /// Walks over the destinations as they are now; changes meanwhile do not disturb it.
    public func makeIterator() -> AnyIterator<Element> {
        ToMany<Element>(owner: owner, index: index).makeIterator()
    }
}

@available(*, unavailable, message: "a to-many belongs to its object's context; pass objectIDs")
extension OrderedToMany: Sendable {}
