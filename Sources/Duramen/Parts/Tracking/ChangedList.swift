/// The objects with one kind of change, in the order in which they got it.
///
/// The list is an index of ``ManagedObject/flags``: it contains exactly the objects with ``state``,
/// each once. An object whose change is reverted keeps its entry until the next save, because
/// children are still to be notified. Meanwhile ``entry`` marks it, so that it gets no second
/// entry.
struct ChangedList {
    /// The flag of objects with the change.
    private let state: ObjectFlags
    /// The flag of objects that have an entry.
    private let entry: ObjectFlags
    /// The objects, including some that were removed since.
    private(set) var entries = ContiguousArray<ManagedObject>()
    /// The number of objects with the change.
    private(set) var count = 0

    init(_ state: ObjectFlags, entry: ObjectFlags) {
        self.state = state
        self.entry = entry
    }

    var isEmpty: Bool { count == 0 }

    /// Whether there are entries of objects that do not have the change any more.
    var isSparse: Bool { count != entries.count }

    /// Gives an object the change, if it does not have it.
    @inline(__always)
    mutating func add(_ object: ManagedObject) {
        if object.flags.contains(state) { return }
        object.flags.insert(state)
        count += 1
        if object.flags.contains(entry) { return }
        object.flags.insert(entry)
        entries.append(object)
    }

    /// Adds an object that was created with the change and its mark.
    @inline(__always)
    mutating func addMade(_ object: ManagedObject) {
        entries.append(object)
        count += 1
    }

    /// Removes the change from an object, if it has it.
    mutating func remove(_ object: ManagedObject) {
        if !object.flags.contains(state) { return }
        object.flags.remove(state)
        // Excluded objects are not counted.
        if object.flags.contains(entry) { count -= 1 }
    }

    /// Removes the last entries, of objects that do not have the change any more.
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

    /// Removes the change and the entry of an object that moves to another list.
    mutating func handOver(_ object: ManagedObject) {
        guard object.flags.contains(entry),
            let index = entries.lastIndex(where: { $0 === object })
        else { return }
        entries.remove(at: index)
        if object.flags.contains(state) { count -= 1 }
        object.flags.subtract([state, entry])
    }

    /// Removes the entries of objects that do not have the change any more.
    mutating func compact() {
        if !isSparse { return }
        entries.removeAll { object in
            if object.flags.contains(state) { return false }
            object.flags.remove(entry)
            return true
        }
    }

    /// Removes the change from all objects.
    mutating func clear() {
        for object in entries { object.flags.subtract([state, entry]) }
        entries.removeAll(keepingCapacity: entries.count < Self.keptCapacity)
        count = 0
    }

    /// Removes all entries, whose flags the caller has cleared in one pass.
    mutating func forgetCleared() {
        if isSparse { return clear() }
        entries.removeAll(keepingCapacity: entries.count < Self.keptCapacity)
        count = 0
    }

    /// The number of entries below which lists keep their memory.
    private static let keptCapacity = 64

    // MARK: - Setting aside

    /// Removes some objects, which keep their change.
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

    /// Restores objects that were removed, if they still have the change.
    mutating func takeBack(_ aside: ContiguousArray<ManagedObject>) {
        for object in aside
        where object.flags.contains(state) && !object.flags.contains(entry) {
            object.flags.insert(entry)
            entries.append(object)
            count += 1
        }
    }

    /// Returns the broken invariant of the list; nil if there is none.
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
