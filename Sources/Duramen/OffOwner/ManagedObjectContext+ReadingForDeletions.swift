import DuramenModel
import DuramenStore

// Delete rules need related objects of deleted objects. Before they are applied for work off the
// owner, these objects are loaded there, level by level. The delete rules of a child load from its
// parents, which have most objects in memory.
extension ManagedObjectContext {
    /// Loads the objects that delete rules will need, off the owner.
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

/// The related objects that the deletion of an object changes.
private struct DeletionDestinations {
    /// Objects whose references change, so that their values are needed.
    var changed: [ManagedObjectID] = []
    /// Objects that are deleted too.
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
    /// Returns the destinations of a relationship, without loading anything.
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
