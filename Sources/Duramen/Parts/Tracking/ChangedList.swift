/// The objects that have one kind of change, in the order in which they got it.
///
/// The list is an index of ``ManagedObject/flags``: it has exactly the objects with ``state``, each
/// once. An object whose change is taken back keeps its entry until the next save, since children
/// are still to be told of it; ``entry`` marks it meanwhile, so that it gets no second one.
struct ChangedList {
    /// The flag of objects with the change.
    private let state: ObjectFlags
    /// The flag of objects that have an entry.
    private let entry: ObjectFlags
    /// The objects, and some that were taken out since.
    private(set) var entries = ContiguousArray<ManagedObject>()
    /// How many objects have the change.
    private(set) var count = 0

    init(_ state: ObjectFlags, entry: ObjectFlags) {
        self.state = state
        self.entry = entry
    }

    var isEmpty: Bool { count == 0 }

    /// Whether entries are left of objects that do not have the change any more.
    var isSparse: Bool { count != entries.count }

    /// Gives an object the change. It may have it already.
    @inline(__always)
    mutating func add(_ object: ManagedObject) {
        if object.flags.contains(state) { return }
        object.flags.insert(state)
        count += 1
        if object.flags.contains(entry) { return }
        object.flags.insert(entry)
        entries.append(object)
    }

    /// Adds an object that was made with the change and its mark.
    @inline(__always)
    mutating func addMade(_ object: ManagedObject) {
        entries.append(object)
        count += 1
    }

    /// Takes the change from an object. It may not have it.
    mutating func remove(_ object: ManagedObject) {
        if !object.flags.contains(state) { return }
        object.flags.remove(state)
        // What is set aside is not counted.
        if object.flags.contains(entry) { count -= 1 }
    }

    /// Drops the last entries, of objects that do not have the change any more.
    ///
    /// - Returns: Whether there were any.
    mutating func trim() -> Bool {
        let known = entries.count
        while let last = entries.last, !last.flags.contains(state) {
            last.flags.remove(entry)
            entries.removeLast()
        }
        return entries.count != known
    }

    /// Takes the change and the entry from an object, which gets another list.
    mutating func handOver(_ object: ManagedObject) {
        guard object.flags.contains(entry),
            let index = entries.lastIndex(where: { $0 === object })
        else { return }
        entries.remove(at: index)
        if object.flags.contains(state) { count -= 1 }
        object.flags.subtract([state, entry])
    }

    /// Drops the entries of objects that do not have the change any more.
    mutating func compact() {
        if !isSparse { return }
        entries.removeAll { object in
            if object.flags.contains(state) { return false }
            object.flags.remove(entry)
            return true
        }
    }

    /// Takes the change from all objects.
    mutating func clear() {
        for object in entries { object.flags.subtract([state, entry]) }
        entries.removeAll(keepingCapacity: entries.count < Self.keptCapacity)
        count = 0
    }

    /// Forgets all objects, whose flags somebody else took back with others, at one go.
    mutating func forgetCleared() {
        if isSparse { return clear() }
        entries.removeAll(keepingCapacity: entries.count < Self.keptCapacity)
        count = 0
    }

    /// Lists of fewer objects keep their memory for the next.
    private static let keptCapacity = 64

    // MARK: - Setting aside

    /// Takes out some objects, which keep their change.
    mutating func setAside(_ objects: Set<ManagedObject>) -> ContiguousArray<ManagedObject> {
        compact()
        var aside = ContiguousArray<ManagedObject>()
        entries.removeAll { object in
            guard objects.contains(object) else { return false }
            object.flags.remove(entry)
            aside.append(object)
            return true
        }
        count = entries.count
        return aside
    }

    /// Takes objects in again that were set aside, as far as they still have the change.
    mutating func takeBack(_ aside: ContiguousArray<ManagedObject>) {
        for object in aside
        where object.flags.contains(state) && !object.flags.contains(entry) {
            object.flags.insert(entry)
            entries.append(object)
            count += 1
        }
    }

    /// What is wrong with the list; nil when all is well.
    func brokenInvariant(_ name: String) -> String? {
        if Set(entries).count != entries.count { return "\(name) has an object twice" }
        if !entries.allSatisfy({ $0.flags.contains(entry) }) {
            return "\(name) has an object without its mark"
        }
        let known = entries.count { $0.flags.contains(state) }
        return known == count ? nil : "\(name) counts \(count) objects and has \(known)"
    }
}

extension ChangedList: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate let list: ChangedList
        fileprivate var index = 0

        mutating func next() -> ManagedObject? {
            while index < list.entries.count {
                defer { index += 1 }
                if list.entries[index].flags.contains(list.state) { return list.entries[index] }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(list: self) }

    var underestimatedCount: Int { count }

    var first: ManagedObject? { first { _ in true } }
}
