import DuramenModel

/// The members of a to-many: a list, and what was added and taken out since it was made.
///
/// Adding or removing a member costs the same in a list of any length. Only reading all members in
/// order makes a new list, which is kept.
struct MemberSet {
    private var list: [ManagedObjectID]
    private var added: Set<ManagedObjectID> = []
    private var removed: Set<ManagedObjectID> = []

    /// - Parameter list: The members: ascending, or in the order of an ordered to-many, to which
    ///   nothing is added then.
    init(_ list: [ManagedObjectID]) { self.list = list }

    /// Whether nothing was added or taken out since the list was made.
    var isList: Bool { added.isEmpty && removed.isEmpty }

    var count: Int { list.count + added.count - removed.count }

    func contains(_ id: ManagedObjectID) -> Bool {
        if added.contains(id) { return true }
        return !removed.contains(id) && list.binarySearch(id) != nil
    }

    /// All members, ascending.
    var ids: [ManagedObjectID] {
        mutating get {
            fold()
            return list
        }
    }

    /// Has a member be there, or not.
    mutating func set(_ id: ManagedObjectID, isMember: Bool) {
        if isMember {
            if removed.remove(id) == nil, list.binarySearch(id) == nil { added.insert(id) }
        } else if added.remove(id) == nil, list.binarySearch(id) != nil {
            removed.insert(id)
        }
    }

    private mutating func fold() {
        if !removed.isEmpty { list.removeAll(where: removed.contains) }
        removed = []
        if added.isEmpty { return }
        list.mergeAscending(added.sorted())
        added = []
    }
}

extension [ManagedObjectID] {
    /// Adds an ascending list to an ascending one.
    fileprivate mutating func mergeAscending(_ others: [ManagedObjectID]) {
        guard let last, let first = others.first, first < last else { return self += others }
        var merged: [ManagedObjectID] = []
        merged.reserveCapacity(count + others.count)
        var start = 0
        for other in others {
            let end = self[start...].insertionPoint(of: other)
            merged += self[start..<end]
            merged.append(other)
            start = end
        }
        self = merged + self[start...]
    }
}

extension RandomAccessCollection<ManagedObjectID> where Index == Int {
    /// Where an ID stands in an ascending list; nil when it is not there.
    func binarySearch(_ id: ManagedObjectID) -> Int? {
        let index = insertionPoint(of: id)
        return index < endIndex && self[index] == id ? index : nil
    }

    /// Where an ID stands in an ascending list, or would.
    func insertionPoint(of id: ManagedObjectID) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
