import DuramenModel
import DuramenStore

extension ContextPart {
    /// Loads the values of a fault, together with neighbours that are likely to be used next.
    ///
    /// - Parameters:
    ///   - object: The fault.
    ///   - slot: The property that is read; nil for the object as a whole.
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

    /// Marks an object as deleted if its row is missing and the context's settings ask for it.
    func deletesInaccessible(_ object: ManagedObject, _ error: any Error) -> Bool {
        let context = context
        guard (error as? ContextError)?.code == .objectNotFound,
            context.onInaccessibleFault?(object) ?? context.shouldDeleteInaccessibleFaults
        else { return false }
        if !object.flags.contains(.deleted) { markDeletedElsewhere(object) }
        return true
    }

    /// Loads the values of a fault that is being deleted. If its row is missing, nothing remains to
    /// be done.
    func fulfillForDeletion(_ object: ManagedObject) throws {
        do {
            try fulfill(object)
        } catch let error as ContextError where error.code == .objectNotFound {
            return
        }
    }

    /// Loads the IDs of a to-many, for an object and for objects that are likely to need theirs
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

    /// Loads the IDs of a to-many for several objects at once.
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
