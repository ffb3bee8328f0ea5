import DuramenModel

extension ContextPart {
    /// Appends failures for references of objects to save that refer to another store.
    func listReferencesAcrossStores(_ failures: inout [ValidationError.Failure]) {
        for object in tracker.written
        where object.isInserted || object.isUpdated && !object.isDeleted {
            guard let row = object.row else { continue }
            for reference in object.plan.toOnes where leadsElsewhere(row, reference) {
                let relationship = reference.relationship
                // A hidden to-one is the inverse of one that the application declared.
                let end = relationship.isHidden ? object.destination(of: reference) : nil
                failures.append(
                    failure(end ?? object, end == nil ? relationship : reference.inverse))
            }
        }
        for (edge, isAdded) in tracker.edges
        where isAdded && edge.isLive
            && edge.source.plan.handle !== edge.destination.plan.handle
        {
            failures.append(failure(edge.source, model[edge.relationship]))
        }
    }

    /// A reference to another store is a temporary key that was never used in this part.
    private func leadsElsewhere(_ row: Row, _ reference: ReferencePlan) -> Bool {
        let key = row.integer(reference.slot)
        return key < 0 && identity.permanentKey(for: key) == nil && reference.table.find(key) == nil
    }

    private func failure(
        _ object: ManagedObject, _ relationship: Relationship
    ) -> ValidationError.Failure {
        .init(
            code: .relationshipAcrossStores, objectID: object.objectID,
            property: relationship.name,
            message:
                "the relationship refers to an object that is not in '\(connection.name)', but "
                + "relationships cannot cross stores. Assign both objects to one "
                + "store, or keep the URI of the other's objectID in an attribute.")
    }
}
