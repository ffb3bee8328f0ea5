import DuramenModel

extension ManagedObjectContext {
    /// Loads the destinations of a path of relationships off the owner. A child loads from its
    /// parents.
    func prefetchOffOwner(
        _ path: [String], from objects: [ManagedObject], _ isolation: isolated (any Actor)?
    ) async throws {
        if parent != nil { return try prefetch(path, from: objects) }
        var level = objects
        for name in path {
            var next: [ManagedObject] = []
            for (part, own) in parts(ofObjects: level) {
                try await part.readDestinations(of: name, from: own, isolation)
                next += try part.prefetchDestinations(of: name, from: own)
            }
            level = next
        }
    }
}

// Missing rows are loaded off the owner, level by level; then prefetching finds all of them in
// memory.
extension ContextPart {
    fileprivate func readDestinations(
        of name: String, from objects: [ManagedObject], _ isolation: isolated (any Actor)?
    ) async throws {
        let owners = objects.map(\.objectID)
        try await read(Missing(toManysOf: owners, named: name, in: self), isolation)
        let ids = objects.flatMap { object in
            object.plan.visibleRelationship(named: name).map {
                knownDestinations(of: $0, from: object)
            } ?? []
        }
        try await read(Missing(valuesOf: Array(Set(ids)), in: self), isolation)
    }
}
