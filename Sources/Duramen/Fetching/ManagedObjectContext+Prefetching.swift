import DuramenModel
import DuramenQuery
import DuramenStore

// Prefetching loads related objects level by level: first the lists of to-manys, then the rows of
// objects that are not in memory.
extension ManagedObjectContext {
    func parts(
        ofObjects objects: [ManagedObject]
    ) -> [(ContextPart, [ManagedObject])] {
        if stores.hasOne { return [(main, objects)] }
        return parts.map { part in (part, objects.filter { $0.plan.handle === part.handle }) }
    }

    /// Loads the destinations of a path of relationships, starting from objects.
    func prefetch(_ path: [String], from objects: [ManagedObject]) throws {
        var level = objects
        for name in path {
            var next: [ManagedObject] = []
            for (part, own) in parts(ofObjects: level) {
                next += try part.prefetchDestinations(of: name, from: own)
            }
            level = next
        }
    }

    /// Loads the members of a to-many of objects, without their rows.
    func prefetchToMany(_ name: String, of objects: [ManagedObject]) throws {
        for (part, own) in parts(ofObjects: objects) {
            for owners in Dictionary(grouping: own, by: { ObjectIdentifier($0.plan) }).values {
                guard let relationship = owners[0].plan.visibleRelationship(named: name),
                    let index = relationship.storage.toManyIndex
                else { continue }
                try part.prefetchMembers(of: owners, at: index, relationship)
            }
        }
    }
}

extension ContextPart {
    /// Loads the destinations of a relationship of objects of this part.
    ///
    /// - Returns: The destinations, each once.
    func prefetchDestinations(
        of name: String, from objects: [ManagedObject]
    ) throws -> [ManagedObject] {
        // Last, because hooks may prefetch too.
        defer { awakeObjects() }
        var reached = ReachedObjects(self)
        defer { reached.end() }
        var owners: [ManagedObject] = []
        var known: (plan: ObjectIdentifier, relationship: Relationship?, slot: Int?)?
        ContiguousArray(objects).forEachBorrowed { object in
            object.withPlan { plan in
                if known?.plan == ObjectIdentifier(plan) { return }
                let relationship = plan.visibleRelationship(named: name)
                known = (ObjectIdentifier(plan), relationship, relationship?.slot)
            }
            guard let slot = known?.slot else {
                if known?.relationship != nil { owners.append(object) }
                return
            }
            let isKnown: Void? = object.withKnownDestination(at: slot) { reached.add($0) }
            if isKnown != nil { return }
            guard let reference = object.plan.references[slot],
                let row = object.row ?? object.partialRow(with: slot),
                let id = object.destinationID(of: reference, in: row)
            else { return }
            reached.add(id)
        }
        if let relationship = known?.relationship, let index = relationship.storage.toManyIndex {
            try prefetchMembers(of: owners, at: index, relationship)
            for owner in owners {
                guard let states = owner.extra?.toManys, index < states.count else { continue }
                for id in states[index]?.resolve(of: owner, at: index, in: self) ?? [] {
                    reached.add(id)
                }
            }
        }
        try prefetchRows(of: reached.unread.map(\.objectID))
        return Array(reached.objects + reached.unread)
    }

    /// Loads the lists of a to-many that are not loaded.
    fileprivate func prefetchMembers(
        of owners: [ManagedObject], at index: Int, _ relationship: Relationship
    ) throws {
        let unknown = owners.filter { owner in
            guard owner.key > 0 || parentPart != nil,
                owner.flags.isDisjoint(with: [.inserted, .gone])
            else { return false }
            guard let states = owner.extra?.toManys, !states.isEmpty else { return true }
            return states[index]?.isLoaded != true
        }
        for group in unknown.groups {
            countRoundTrip(
                RoundTrip(.prefetch, group[0].entity.name, relationship.name, nil, group.count))
            try readMembers(of: group, at: index, relationship)
        }
    }

    /// Loads the rows of objects that are not in memory. A damaged row is skipped; it is reported
    /// when the object is loaded.
    private func prefetchRows(of ids: [ManagedObjectID]) throws {
        for group in ids.groups {
            countRoundTrip(
                RoundTrip(.prefetch, group[0].entityName, nil, nil, group.count))
            do {
                try registerRows(of: group)
            } catch let error as StoreError where error.code == .damagedValue {
                continue
            }
        }
    }
}

/// A collector of destinations, each once. Often many objects share a few destinations, so each is
/// registered when it is met first, and found at once from then on.
private struct ReachedObjects {
    private let part: ContextPart
    /// The objects in memory, which are flagged until the end.
    private(set) var objects = ContiguousArray<ManagedObject>()
    /// The faults, which are flagged until the end.
    private(set) var unread = ContiguousArray<ManagedObject>()

    init(_ part: ContextPart) { self.part = part }

    mutating func add(_ id: ManagedObjectID) {
        if let known = part.registeredHere(id) { return add(known) }
        let isStored = part.isOwn(id) && (id.key > 0 || part.parentPart != nil)
        if isStored, let fault = part.registerFaultHere(id, isExpected: false) { add(fault) }
    }

    @inline(__always) mutating func add(_ object: ManagedObject) {
        if object.flags.contains(.reached) { return }
        object.flags.insert(.reached)
        if object.isToBeRead { unread.append(object) } else { objects.append(object) }
    }

    func end() {
        for object in objects { object.flags.remove(.reached) }
        for object in unread { object.flags.remove(.reached) }
    }
}

extension ErasedFetchRequest {
    /// Returns the key paths to prefetch, each as names of relationships.
    ///
    /// - Throws: ``ContextError`` `.unknownName` for an unknown relationship, `.invalidRequest` for
    ///   a path of more than 128 names.
    func prefetchPaths(from entity: Entity, in model: ManagedObjectModel) throws -> [[String]] {
        try prefetches.map { path in
            let names = path.split(separator: ".", omittingEmptySubsequences: false)
                .map(String.init)
            if names.isTooLong {
                throw ContextError(
                    .invalidRequest,
                    "A path of \(names.count) relationships of '\(entity.name)' cannot be prefetched. Name at most 128."
                )
            }
            var current = entity
            for name in names {
                guard case .relationship(let relationship)? = current.property(named: name) else {
                    throw ContextError(
                        .unknownName,
                        "'\(path)' cannot be prefetched: '\(current.name)' has no relationship '\(name)'. "
                            + NearestName.question(
                                name,
                                among: current.relationships.filter { !$0.isHidden }.map(\.name))
                            + "Name relationships of the model, joined by dots.")
                }
                current = model[relationship.destination]
            }
            return names
        }
    }
}

extension EntityPlan {
    /// Returns the relationship that the application declared under a name; nil if there is none.
    func visibleRelationship(named name: String) -> Relationship? {
        guard case .relationship(let relationship)? = entity.property(named: name) else {
            return nil
        }
        return relationship
    }
}
