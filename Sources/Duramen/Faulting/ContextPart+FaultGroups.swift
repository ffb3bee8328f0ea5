import DuramenModel

/// The most objects that are loaded at once, for a fault or a list: the length of SQLite's key
/// lists.
let groupLimit = 500

extension ManagedObject {
    /// For a fault created by following a to-one: the to-one's slot in the rows of ``storage``. Nil
    /// for other objects.
    fileprivate final var originSlot: Int? {
        guard words == nil, storage != nil, case .toOne(let slot) = origin else { return nil }
        return slot
    }

    /// Whether the object is a fault that loading its group should fill.
    final var isToBeRead: Bool {
        words == nil && flags.isDisjoint(with: [.gone, .deletedElsewhere])
    }
}

// Faults are loaded in groups of objects that were fetched together or are referenced by such
// objects.
extension ContextPart {
    /// Returns the IDs to load together, starting with the object's own.
    ///
    /// A fault that was created by following a to-one is loaded with the destinations of rows
    /// fetched together with the source. A fault that was created in a group is loaded with the
    /// group. Any other fault is loaded with recently created faults.
    func faultGroup(of object: ManagedObject) -> [ManagedObjectID] {
        guard let storage = object.storage else { return lateFaults(with: object) }
        if let slot = object.originSlot {
            return destinations(of: storage, slot: slot, with: object) { $0?.words == nil }
        }
        let neighbours = neighbours(of: object, in: storage).lazy.filter(\.isToBeRead)
        return [object.objectID] + neighbours.prefix(groupLimit - 1).map(\.objectID)
    }

    private func lateFaults(with object: ManagedObject) -> [ManagedObjectID] {
        let table = object.plan.table
        var group = [object.objectID]
        while group.count < groupLimit, let id = table.takeLikelyFault() {
            guard id.key > 0, id.key != object.key else { continue }
            if let known = table.find(id.key) {
                if known.words != nil || known.flags.contains(.gone) { continue }
            }
            group.append(id)
        }
        return group
    }

    /// Returns the destinations of a to-one from the rows of a block and of later blocks of its
    /// fetch. The object's own ID comes first.
    ///
    /// - Parameters:
    ///   - storage: The block.
    ///   - slot: The to-one's slot.
    ///   - object: The object whose ID comes first.
    ///   - isWanted: Whether a destination belongs to the group; gets nil for an unregistered one.
    private func destinations(
        of storage: RowStorage, slot: Int, with object: ManagedObject,
        where isWanted: (ManagedObject?) -> Bool
    ) -> [ManagedObjectID] {
        var group = [object.objectID]
        var seen: Set<Int64> = [object.key]
        var block: RowStorage? = storage
        var blocks = 0
        while let current = block, blocks < 8, group.count < groupLimit {
            for index in current.rowOffsets.indices {
                let row = current.row(at: index)
                let references = plans[row.entityID.index].references
                guard slot < references.count, let reference = references[slot],
                    let id = row.destination(
                        of: reference.relationship, in: model, store: handle.store),
                    id.key > 0, !seen.contains(id.key)
                else { continue }
                seen.insert(id.key)
                if !isWanted(reference.table.find(id.key)) { continue }
                group.append(id)
                if group.count == groupLimit { break }
            }
            block = current.next
            blocks += 1
        }
        return group
    }

    /// Returns the other registered objects with rows in a block; those after the object come
    /// first.
    private func neighbours(
        of object: ManagedObject, in storage: RowStorage
    ) -> [ManagedObject] {
        let positions = storage.rowOffsets.indices
        guard let own = positions.first(where: { Row.key(storage.words(of: $0)) == object.key })
        else { return [] }
        return (Array(positions[(own + 1)...]) + positions[..<own].reversed()).compactMap {
            position in
            let words = storage.words(of: position)
            let other = identity.borrowedPlans[Row.entityIndex(words)].with {
                $0.table.find(Row.key(words))
            }
            return other === object ? nil : other
        }
    }

    // MARK: - To-manys

    /// Returns the objects whose to-many is loaded together; the object itself comes first.
    func toManyGroup(of object: ManagedObject, at index: Int) -> [ManagedObject] {
        var group = [object]
        for other in siblings(of: object, at: index) where group.count < groupLimit {
            if let states = other.extra?.toManys, !states.isEmpty, states[index]?.isLoaded == true {
                continue
            }
            group.append(other)
        }
        return group
    }

    /// Returns objects with the same to-many that were fetched with an object or are destinations
    /// of the same to-one.
    private func siblings(of object: ManagedObject, at index: Int) -> [ManagedObject] {
        guard let storage = object.extra?.base?.storage ?? object.storage else { return [] }
        let relationship = object.plan.toManys[index].id
        let all: [ManagedObject]
        if let slot = object.originSlot {
            let ids = destinations(of: storage, slot: slot, with: object) { _ in true }
            all = ids.dropFirst().compactMap { id in
                let met = registerFaultHere(id)
                if let met, met.words == nil, met.storage == nil {
                    met.storage = storage
                    met.origin = object.origin
                }
                return met
            }
        } else {
            all = neighbours(of: object, in: storage)
        }
        return all.filter { other in
            index < other.plan.toManys.count && other.plan.toManys[index].id == relationship
                && other.flags.isDisjoint(with: [.gone, .inserted])
        }
    }

    /// Returns the member of a to-many at a position where an iteration begins.
    ///
    /// Members that are not in memory become faults of one group: first the following members, then
    /// the others. Members of objects fetched together with the owner come last.
    func memberToWalkFrom(
        _ position: Int, in members: [ManagedObjectID], of owner: ManagedObject, at index: Int
    ) -> ManagedObject? {
        let first = members[position]
        // Unsaved relationships may refer to other stores, and unsaved objects are never faults.
        guard isOwn(first), first.key > 0 || parentPart != nil else { return registerFault(first) }
        var group = MemberGroup(self)
        group.add(members[position...])
        group.add(members[..<position].reversed())
        if !group.isFull {
            for sibling in siblings(of: owner, at: index) where !group.isFull {
                guard let states = sibling.extra?.toManys, index < states.count,
                    let members = states[index]?.stored
                else { continue }
                group.add(members)
            }
        }
        registerFaults(group.ids)
        return registerFault(first)
    }

    /// Makes objects that are not in memory faults of one group. Pass at most ``groupLimit`` IDs.
    ///
    /// - Returns: The objects, in the order of their IDs.
    @discardableResult
    func registerFaults(_ ids: [ManagedObjectID]) -> [ManagedObject] {
        var keys = RowBatchBuilder(capacity: ids.count * 40, rows: ids.count)
        let objects = ids.compactMap { id -> ManagedObject? in
            guard let object = registerFaultHere(id, isExpected: false) else { return nil }
            keys.beginRow(
                entity: object.plan.entity.id, slotCount: 0, key: object.key, version: .unsaved)
            keys.endRow()
            return object
        }
        let block = keys.finish().storage
        for object in objects where object.words == nil && object.storage == nil {
            object.storage = block
            object.origin = .group
        }
        return objects
    }
}

/// A collector for members of to-manys that become faults of one group.
private struct MemberGroup {
    private let part: ContextPart
    private(set) var ids: [ManagedObjectID] = []
    private var seen: Set<ManagedObjectID> = []
    /// The number of members examined, which is limited because registered members are skipped.
    private var looks = 0

    init(_ part: ContextPart) { self.part = part }

    var isFull: Bool { ids.count >= groupLimit || looks >= 8 * groupLimit }

    mutating func add(_ members: some Sequence<ManagedObjectID>) {
        for member in members {
            if isFull { return }
            looks += 1
            let id = part.currentID(of: member)
            guard part.isOwn(id), id.key > 0 || part.parentPart != nil else { continue }
            if let known = part.registeredHere(id) {
                if !known.isToBeRead || known.storage != nil { continue }
            }
            if seen.insert(id).inserted { ids.append(id) }
        }
    }
}
