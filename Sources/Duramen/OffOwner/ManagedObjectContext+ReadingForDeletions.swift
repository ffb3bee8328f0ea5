import DuramenModel
import DuramenStore

// Delete rules read what deleted objects lead to. Before they are applied for work off the owner,
// all of that is read there, level by level. A child's rules read from its parents, which have most
// of it in memory.
extension ManagedObjectContext {
    /// Reads what the delete rules of deleted objects will need, off the owner.
    func readForDeletions(_ isolation: isolated (any Actor)?) async throws {
        if parent != nil { return }
        for part in parts where !part.isStoreRemoved && !part.tracker.deletesToPropagate.isEmpty {
            try await part.readForDeletions(isolation)
        }
    }
}

extension ContextPart {
    fileprivate func readForDeletions(_ isolation: isolated (any Actor)?) async throws {
        var seen: Set<ManagedObjectID> = []
        var level = tracker.deletesToPropagate.map(\.objectID)
        while true {
            let ids = level.filter { seen.insert($0).inserted }
            if ids.isEmpty { return }
            try await read(Missing(valuesOf: ids, in: self), isolation)
            try await read(Missing(toManysOf: ids, in: self), isolation)
            let next = ids.compactMap(registeredHere).map(DeletionDestinations.init)
            try await read(Missing(valuesOf: next.flatMap(\.changed), in: self), isolation)
            level = next.flatMap(\.deleted)
        }
    }
}

/// What objects lead to that their deletion changes.
private struct DeletionDestinations {
    /// Objects whose values say where they lead.
    var changed: [ManagedObjectID] = []
    /// Those that are deleted too.
    var deleted: [ManagedObjectID] = []

    init(of object: ManagedObject) {
        let context = object.plan.handle.part(for: object)
        for relationship in object.plan.entity.relationships {
            let ids = context.knownDestinations(of: relationship, from: object)
            if !context.model[relationship.inverse].isToMany { changed += ids }
            if relationship.deleteRule == .cascade { deleted += ids }
        }
    }
}

extension ContextPart {
    /// Where a relationship leads, without reading anything.
    func knownDestinations(
        of relationship: Relationship, from object: ManagedObject
    ) -> [ManagedObjectID] {
        if let reference = object.plan.reference(for: relationship) {
            return object.row.flatMap { object.destinationID(of: reference, in: $0) }.map { [$0] }
                ?? []
        }
        guard let index = relationship.storage.toManyIndex,
            object.toManyState(of: relationship)?.isLoaded == true || object.isInserted
        else { return [] }
        return object.members(at: index)
    }
}
