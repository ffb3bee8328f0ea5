public import DuramenModel
public import DuramenQuery

/// The destinations of a to-many: a lazy, unordered collection without duplicates.
///
/// Its IDs are read when they are needed first, in one statement for all objects that were fetched
/// together; its objects may be faults. Changing it changes the other side at once.
/// ``count``, ``isEmpty`` and ``contains(_:)-(Element)`` need the IDs only, and read no object.
/// Elements come in the ascending order of their IDs.
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

    /// Whether an object is among the destinations. No object is read.
    public func contains(_ element: Element) -> Bool { contains(element.objectID) }

    /// Whether an object is among the destinations. No object is read.
    public func contains(_ id: ManagedObjectID) -> Bool { owner.hasMember(id, at: index) }

    /// Adds an object. One that is there already stays as it is.
    public func insert(_ element: Element) { owner.insertMember(element, at: index) }

    /// Adds an object, as ``insert(_:)`` does. Elements keep the order of their IDs.
    public func append(_ element: Element) { insert(element) }

    /// Adds objects, as ``insert(contentsOf:)`` does.
    public func append(contentsOf elements: some Sequence<Element>) { insert(contentsOf: elements) }

    /// Adds objects.
    public func insert(contentsOf elements: some Sequence<Element>) {
        for element in elements { insert(element) }
    }

    /// Takes an object out. One that is not there stays so.
    public func remove(_ element: Element) { owner.removeMember(element, at: index) }

    /// Takes all objects out.
    public func removeAll() {
        for element in Array(self) { remove(element) }
    }

    /// Takes out what is not among `elements`, and adds what is missing.
    public func replace(with elements: some Sequence<Element>) {
        let wanted = Set(elements)
        let known = Set(self)
        for element in known where !wanted.contains(element) { remove(element) }
        // What is there already is no edit: somebody else may take it out.
        for element in wanted where !known.contains(element) { insert(element) }
    }
}

extension ToMany: RandomAccessCollection {
    /// Whether the to-many is empty. Reads no object.
    public var isEmpty: Bool { endIndex == 0 }

    /// The number of destinations. Reads no object.
    public var count: Int { endIndex }

    /// The index of the first element.
    public var startIndex: Int { 0 }

    /// The number of destinations. No object is read.
    public var endIndex: Int { owner.memberCount(at: index) }

    /// The object at an index, which may be a fault.
    public subscript(position: Int) -> Element {
        owner.member(position, of: owner.members(at: index), at: index)
    }

    /// Walks over the destinations as they are now; changes meanwhile do not disturb it.
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
