public import DuramenModel

extension ManagedObject {
    /// The IDs that a relationship leads to, without making objects of them: all of a to-many, in its order if
    /// it has one; one or none of a to-one.
    ///
    /// - Throws: ``ContextError`` `.unknownName`, or why the object or the to-many cannot be read.
    public final func objectIDs(forRelationshipNamed name: String) throws -> [ManagedObjectID] {
        guard case .relationship(let relationship)? = entity.property(named: name) else {
            throw unknownProperty(name)
        }
        if let slot = relationship.slot {
            try load()
            guard let row, let reference = plan.references[slot] else { return [] }
            return destinationID(of: reference, in: row).map { [$0] } ?? []
        }
        let index = relationship.storage.toManyIndex ?? 0
        let context = plan.handle.context(for: self)
        if ensureExtra().state(at: index, of: plan).stored == nil {
            try context.fulfillToMany(of: self, at: index)
        }
        return members(at: index)
    }
}
