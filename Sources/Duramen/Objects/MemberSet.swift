import DuramenModel

/// The members of a to-many: a list, with members added and removed since it was built.
///
/// Adding or removing a member costs the same for a list of any length. Only reading all members in
/// order builds a new list, which is kept.
struct MemberSet {
    private var list: [ManagedObjectID]
    private var added: Set<ManagedObjectID> = []
    private var removed: Set<ManagedObjectID> = []

    /// Creates a set of members.
    ///
    /// - Parameter list: The members, ascending. Alternatively, the members of an ordered to-many
    ///   in their order; do not add members to these.
    init(_ list: [ManagedObjectID]) { self.list = list }

    /// Whether nothing was added or removed since the list was built.
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

    /// Adds or removes a member.
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
    /// Merges an ascending list into this ascending list.
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
    /// Returns the index of an ID in an ascending list; nil if it is missing.
    func binarySearch(_ id: ManagedObjectID) -> Int? {
        let index = insertionPoint(of: id)
        return index < endIndex && self[index] == id ? index : nil
    }

    /// Returns the index of an ID in an ascending list, or the index to insert it at.
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
