import DuramenModel
import DuramenQuery
import DuramenStore

// Options of a fetch beyond returning the objects of its rows.
extension ManagedObjectContext {
    /// Refreshes changed objects in every store, for a request of which only IDs are fetched.
    func refreshChangedObjects(of request: ErasedFetchRequest) throws {
        let entity = try request.entity(in: persistentStoreCoordinator.managedObjectModel)
        for part in openParts where part.model.entity(for: entity.handle) != nil {
            try part.refreshChangedObjects(of: part.storeQuery(request).query)
        }
    }

    /// Refreshes changed objects without blocking the owner. A child reads from its parent, which
    /// has the same owner.
    func refreshChangedObjectsOffOwner(
        of request: ErasedFetchRequest, _ isolation: isolated (any Actor)?
    ) async throws {
        if parent != nil { return try refreshChangedObjects(of: request) }
        defer {
            tellSoon()
            awakeObjects()
        }
        for part in try FetchOfStores(request, in: self).parts {
            let changed = part.changedObjects(of: try part.storeQuery(request).query)
            try await part.read(Missing(rowsOf: changed), isolation, part.refresh)
        }
    }

    /// Returns the objects of a request with options about the properties to load.
    func fetchWithOptions(_ request: ErasedFetchRequest) throws -> [ManagedObject] {
        let model = persistentStoreCoordinator.managedObjectModel
        let entity = try request.entity(in: model)
        let paths = try request.prefetchPaths(from: entity, in: model)
        _ = try request.slots(in: entity, of: model)
        var objects: [ManagedObject] = []
        if request.includesPropertyValues || !request.returnsFaults {
            try fetchRows(request) { objects.append($0.taken()) }
        } else {
            objects = try fetchFaults(request)
        }
        if !request.returnsFaults { try fill(objects) }
        for path in paths { try prefetch(path, from: objects) }
        return objects
    }

    /// Returns the results of a request as faults, unless they are in memory.
    private func fetchFaults(_ request: ErasedFetchRequest) throws -> [ManagedObject] {
        let ids = try objectIDs(request)
        var objects: [ManagedObject] = []
        objects.reserveCapacity(ids.count)
        for group in ids.groups {
            for (part, own) in parts(of: group) { part.registerFaults(own) }
            for object in group.compactMap({ main.registerFault($0) }) {
                try request.check(object)
                objects.append(object)
            }
        }
        return objects
    }

    /// Loads all values of the objects that are faults.
    ///
    /// - Throws: ``ContextError`` `.objectNotFound` if an object is gone, or the error of loading.
    private func fill(_ objects: [ManagedObject]) throws {
        let faults = objects.filter(\.isFault)
        if faults.isEmpty { return }
        for (part, ids) in parts(of: faults.map(\.objectID)) {
            for group in ids.groups {
                part.countRoundTrip(RoundTrip(.fetch, group[0].entityName, nil, nil, group.count))
                let rows = try part.readSnapshot { snapshot throws(StoreError) in
                    try snapshot.batches(for: group)
                }
                for row in rows.joined() { part.register(row) }
            }
        }
        if let missing = faults.first(where: \.isFault) {
            throw ContextError.objectNotFound(missing.objectID)
        }
    }

    /// Groups IDs by the part that they belong to, in their order.
    func parts(of ids: [ManagedObjectID]) -> [(ContextPart, [ManagedObjectID])] {
        if stores.hasOne { return [(main, ids)] }
        var lists: [(ContextPart, [ManagedObjectID])] = []
        for id in ids.map(main.currentID) {
            let part = part(of: id) ?? main
            if let position = lists.firstIndex(where: { $0.0 === part }) {
                lists[position].1.append(id)
            } else {
                lists.append((part, [id]))
            }
        }
        return lists
    }
}

extension ContextPart {
    // MARK: - Some properties

    /// Passes objects of rows with some slots to a closure.
    func registerPartial(
        _ batch: RowBatch, _ slots: SlotSet, _ request: ErasedFetchRequest,
        _ body: (CountedObject) -> Void
    ) throws {
        for row in batch {
            let object = registerPartial(row, slots, isRefreshing: request.refreshes)
            try request.check(object)
            body(CountedObject(object))
        }
    }

    // MARK: - Refreshing

    /// Gives changed objects of the requested entities the values that other saves stored, and
    /// keeps their edits.
    func refreshChangedObjects(of query: StoreQuery) throws {
        let changed = changedObjects(of: query)
        if changed.isEmpty { return }
        reading.letGo()
        for group in changed.groups {
            countRoundTrip(RoundTrip(.refresh, model[query.entity].name, nil, nil, group.count))
            for row in try currentSnapshot().batches(for: group).joined() { refresh(row) }
        }
    }

    fileprivate func changedObjects(of query: StoreQuery) -> [ManagedObjectID] {
        let asked = query.includesSubentities ? model[query.entity].family : [query.entity]
        let changed = tracker.updated.filter {
            $0.isUpdated && $0.extra?.base != nil && asked.contains($0.plan.entity.id)
        }
        return changed.map(\.objectID)
    }

    /// Gives a changed object the values that others stored, and keeps its edits.
    fileprivate func refresh(_ row: Row) {
        guard let object = plans[row.entityID.index].table.find(row.key),
            let base = object.extra?.base, base.version != row.version
        else { return }
        takeOver(row, by: object)
    }
}

extension Array {
    /// The elements in groups of ``groupLimit``, in order.
    var groups: [[Element]] {
        stride(from: 0, to: count, by: groupLimit).map {
            Array(self[$0..<Swift.min($0 + groupLimit, count)])
        }
    }
}

extension SlotSet {
    /// Adds the slots of a to-one. The slot for the destination's entity differs between
    /// subentities.
    mutating func formUnion(_ entities: [Entity], of relationship: Relationship) {
        for entity in entities {
            guard
                case .toOne(let slot, let entitySlot)? =
                    entity.relationship(relationship.id)?.storage
            else { continue }
            insert(slot)
            if let entitySlot { insert(entitySlot) }
        }
    }
}

extension ErasedFetchRequest {
    /// Returns the slots of the properties that the request names; empty if it names none.
    ///
    /// - Throws: ``ContextError`` `.unknownName`, `.invalidRequest` for a to-many.
    func slots(in entity: Entity, of model: ManagedObjectModel) throws -> SlotSet {
        var slots = SlotSet()
        for name in properties {
            if let composite = entity.composite(named: name) {
                composite.slots.forEach { slots.insert($0) }
                continue
            }
            switch entity.property(named: name) {
            case .attribute(let attribute)?: slots.insert(attribute.slot)
            case .relationship(let relationship)? where !relationship.isToMany:
                slots.formUnion(entity.family.map { model[$0] }, of: relationship)
            case .relationship?:
                throw ContextError(
                    .invalidRequest,
                    "'\(entity.name).\(name)' is a to-many, which no row holds, so propertiesToFetch cannot "
                        + "name it. Prefetch it with relationshipKeyPathsForPrefetching.")
            case nil:
                throw ContextError(
                    .unknownName,
                    "'\(entity.name)' has no stored property '\(name)' for propertiesToFetch to name. "
                        + NearestName.question(name, among: entity.storedPropertyNames)
                        + "Correct the name, or add the property to the model.")
            }
        }
        return slots
    }
}
