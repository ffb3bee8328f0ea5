import DuramenModel
import DuramenStore

extension ContextPart {
    /// Reads the values of a fault, and with it those of its neighbours that are likely to be read
    /// next.
    ///
    /// - Parameter slot: The property that is read; nil for the object as a whole.
    func fulfill(_ object: ManagedObject, reading slot: Int? = nil) throws {
        guard !object.flags.contains(.gone), object.key > 0 || parentPart != nil, !isStoreRemoved
        else {
            throw isStoreRemoved
                ? storeRemoved(object.objectID) : ContextError.objectNotFound(object.objectID)
        }
        try roundTrips?.checkFault(of: object, slot.map(object.propertyName(ofSlot:)))
        let group = faultGroup(of: object)
        persistentStoreCoordinator.countFault()
        roundTrips?.countFault(of: object, slot.map(object.propertyName(ofSlot:)), group.count)
        defer { awakeObjects() }
        if group.count == 1 {
            if let row = try readRow(group[0]) { register(row) }
        } else {
            try registerRows(of: group, all: false)
        }
        if object.words == nil { throw ContextError.objectNotFound(object.objectID) }
    }

    /// Counts an object as deleted whose row is gone, if that is wanted.
    func deletesInaccessible(_ object: ManagedObject, _ error: any Error) -> Bool {
        let context = context
        guard (error as? ContextError)?.code == .objectNotFound,
            context.onInaccessibleFault?(object) ?? context.shouldDeleteInaccessibleFaults
        else { return false }
        if !object.flags.contains(.deleted) { markDeletedElsewhere(object) }
        return true
    }

    /// Reads the values of a fault that is to be deleted, unless its row is gone: then nothing is
    /// left to do.
    func fulfillForDeletion(_ object: ManagedObject) throws {
        do {
            try fulfill(object)
        } catch let error as ContextError where error.code == .objectNotFound {
            return
        }
    }

    /// Reads the IDs of a to-many, for an object and for those that are likely to be asked for it
    /// next.
    func fulfillToMany(of object: ManagedObject, at index: Int) throws {
        guard object.key > 0 || parentPart != nil && !object.isInserted,
            !object.flags.contains(.gone)
        else {
            object.ensureExtra().state(at: index).load([ManagedObjectID]())
            return
        }
        let relationship = object.plan.toManys[index]
        try roundTrips?.checkFault(of: object, relationship.name)
        let group = toManyGroup(of: object, at: index)
        persistentStoreCoordinator.countFault()
        roundTrips?.countFault(of: object, relationship.name, group.count)
        try readMembers(of: group, at: index, relationship)
    }

    /// Reads the IDs of a to-many of several objects at once.
    func readMembers(
        of group: [ManagedObject], at index: Int, _ relationship: Relationship
    ) throws {
        let ids = group.map(\.objectID)
        if relationship.isOrdered {
            let lists = try readSnapshot { snapshot throws(StoreError) in
                try snapshot.orderedDestinations(of: relationship.id, from: ids)
            }
            for (member, list) in zip(group, lists) {
                member.ensureExtra().state(at: index).load(list, in: self)
            }
        } else {
            let lists = try readSnapshot { snapshot throws(StoreError) in
                try snapshot.destinations(of: relationship.id, from: ids)
            }
            for (member, list) in zip(group, lists) {
                member.ensureExtra().state(at: index).load(list)
            }
        }
    }
}
