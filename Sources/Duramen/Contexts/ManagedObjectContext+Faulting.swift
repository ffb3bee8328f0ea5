import DuramenModel
import DuramenStore

/// The most objects that one statement reads for a group.
private let groupLimit = 500

extension ManagedObjectContext {
    /// Reads the values of a fault, and with it those of its neighbours that are likely to be read next.
    func fulfill(_ object: ManagedObject) throws {
        guard !object.flags.contains(.gone), object.key > 0 || parentPart != nil, !isStoreRemoved
        else {
            throw isStoreRemoved
                ? storeRemoved(object.objectID) : ContextError.objectNotFound(object.objectID)
        }
        let group = faultGroup(of: object)
        persistentStoreCoordinator.noteFault()
        defer { awakeObjectsHere() }
        if group.count == 1 {
            if let row = try readRow(group[0]) { register(row) }
        } else {
            try registerRows(of: group)
        }
        if object.words == nil { throw ContextError.objectNotFound(object.objectID) }
    }

    /// Counts an object as deleted whose row is gone, if that is wanted.
    func deletesInaccessible(_ object: ManagedObject, _ error: any Error) -> Bool {
        let whole = whole
        guard (error as? ContextError)?.code == .objectNotFound,
            whole.onInaccessibleFault?(object) ?? whole.shouldDeleteInaccessibleFaults
        else { return false }
        if !object.flags.contains(.deleted) { markDeletedElsewhere(object) }
        return true
    }

    /// Reads the values of a fault that is to be deleted, unless its row is gone: then nothing is left to do.
    func fulfillForDeletion(_ object: ManagedObject) throws {
        do {
            try fulfill(object)
        } catch let error as ContextError where error.code == .objectNotFound {
            return
        }
    }

    /// The IDs to read together, the object's own first.
    ///
    /// A fault that a to-one led to takes along the destinations of the rows that were fetched with
    /// the one that the walk came from; any other takes along the faults that were made lately.
    private func faultGroup(of object: ManagedObject) -> [ManagedObjectID] {
        if let storage = object.storage, object.originSlot != .max {
            return destinations(of: storage, slot: Int(object.originSlot), with: object)
        }
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

    /// Notes members of a to-many, and those of the objects fetched together, as likely to be read next.
    ///
    /// - Returns: How many of the list were noted.
    func expectWalk(
        over ids: ArraySlice<ManagedObjectID>, of object: ManagedObject, at index: Int
    ) -> Int {
        let own = ids.prefix(groupLimit)
        guard let first = own.first, registeredObject(for: first)?.words == nil else {
            return own.count
        }
        var rest = groupLimit - own.count
        // The newest is read first, so the list's own members are noted last.
        for sibling in siblings(of: object, at: index) where rest > 0 {
            let states = sibling.extra?.toManys ?? []
            guard index < states.count, let members = states[index]?.stored else { continue }
            for id in members.prefix(rest) { expectFault(of: id) }
            rest -= members.count
        }
        for id in own.reversed() { expectFault(of: id) }
        return own.count
    }

    private func expectFault(of id: ManagedObjectID) {
        // Unsaved relationships may lead to other stores.
        guard isOwn(id), let entity = model.entity(of: id) else { return }
        plans[entity.id.index].table.expectFault(of: id)
    }

    /// Takes the links between blocks of rows away, which keep later ones alive with earlier ones.
    func unlinkBlocks() {
        for block in linkedBlocks { block.next = nil }
        linkedBlocks = []
    }

    private func destinations(
        of storage: RowStorage, slot: Int, with object: ManagedObject
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
                if let known = reference.table.find(id.key), known.words != nil { continue }
                group.append(id)
                if group.count == groupLimit { break }
            }
            block = current.next
            blocks += 1
        }
        return group
    }

    /// Reads the IDs of a to-many, for an object and for those that were fetched with it.
    func fulfillToMany(of object: ManagedObject, at index: Int) throws {
        guard object.key > 0 || parentPart != nil && !object.isInserted,
            !object.flags.contains(.gone)
        else {
            object.ensureExtra().state(at: index, of: object.plan).load([ManagedObjectID]())
            return
        }
        let group = toManyGroup(of: object, at: index)
        persistentStoreCoordinator.noteFault()
        let relationship = object.plan.toManys[index]
        let ids = group.map(\.objectID)
        if relationship.isOrdered {
            let lists = try readSnapshot { snapshot throws(StoreError) in
                try snapshot.orderedDestinations(of: relationship.id, from: ids)
            }
            for (member, list) in zip(group, lists) {
                member.ensureExtra().state(at: index, of: member.plan).load(list, in: self)
            }
        } else {
            let lists = try readSnapshot { snapshot throws(StoreError) in
                try snapshot.destinations(of: relationship.id, from: ids)
            }
            for (member, list) in zip(group, lists) {
                member.ensureExtra().state(at: index, of: member.plan).load(list)
            }
        }
    }

    private func toManyGroup(of object: ManagedObject, at index: Int) -> [ManagedObject] {
        var group = [object]
        for other in siblings(of: object, at: index) where group.count < groupLimit {
            if let states = other.extra?.toManys, !states.isEmpty, states[index]?.stored != nil {
                continue
            }
            group.append(other)
        }
        return group
    }

    /// The registered objects with the same to-many whose rows came with an object's own.
    private func siblings(of object: ManagedObject, at index: Int) -> [ManagedObject] {
        guard let storage = object.extra?.base?.storage ?? object.storage, object.originSlot == .max
        else { return [] }
        let relationship = object.plan.toManys[index].id
        return storage.rowOffsets.indices.lazy.prefix(2 * groupLimit).compactMap { place in
            let row = storage.row(at: place)
            guard let other = self.plans[row.entityID.index].table.find(row.key), other !== object,
                other.plan.toManys.count > index, other.plan.toManys[index].id == relationship
            else { return nil }
            return other
        }
    }
}
