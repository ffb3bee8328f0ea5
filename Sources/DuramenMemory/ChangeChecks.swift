import DuramenModel
import DuramenStore

/// Checks that a change set fits a store. Its rows must have the shape of the model, and its IDs
/// must be permanent and of this store. No object may occur twice.
struct ChangeChecks {
    let model: ManagedObjectModel
    let store: StoreHandle
    private var seen: Set<ManagedObjectKey> = []

    init(model: ManagedObjectModel, store: StoreHandle) {
        self.model = model
        self.store = store
    }

    mutating func check(_ changes: ChangeSet) throws(StoreError) {
        for row in changes.inserts { try check(row) }
        for update in changes.updates { try check(update.row) }
        for deletion in changes.deletes {
            let entity = try entity(of: deletion.id)
            try note(entity, deletion.id.key)
        }
        for change in changes.edges { try check(change) }
        for check in changes.checks { _ = try entity(of: check.id) }
    }

    private mutating func check(_ row: Row) throws(StoreError) {
        guard model.entities.indices.contains(row.entityID.index) else {
            throw refusal("A row names an entity that the model has not.")
        }
        let entity = model[row.entityID]
        if entity.isAbstract {
            throw refusal("'\(entity.name)' is abstract; save objects of its sub-entities.")
        }
        if row.slotCount != entity.layout.slotCount {
            throw refusal("A row of '\(entity.name)' has another number of slots than its layout.")
        }
        for relationship in entity.relationships {
            guard let slot = relationship.slot, !row.isNull(slot) else { continue }
            if row.integer(slot) <= 0 {
                throw refusal(
                    "'\(entity.name).\(relationship.name)' refers to an object without an allocated "
                        + "key; allocate keys before saving.")
            }
        }
        try note(entity, row.key)
    }

    private func check(_ change: EdgeChange) throws(StoreError) {
        guard model.relationships.indices.contains(change.relationship.index) else {
            throw refusal("A pair names a relationship that the model has not.")
        }
        let relationship = model[change.relationship]
        guard case .manyToMany = relationship.storage else {
            throw refusal(
                "'\(relationship.name)' is not a many-to-many; it is saved with "
                    + "the rows of its to-one."
            )
        }
        for edge in change.added + change.removed {
            let source = try entity(of: edge.source)
            let destination = try entity(of: edge.destination)
            if edge.order != nil, !relationship.isOrdered {
                throw refusal("'\(relationship.name)' has no order, but a pair has a number in it.")
            }
            if edge.inverseOrder != nil, !model[relationship.inverse].isOrdered {
                throw refusal(
                    "The inverse of '\(relationship.name)' has no order, but a pair has a number in it."
                )
            }
            guard source.isKind(of: model[relationship.declaringEntity]),
                destination.isKind(of: model[relationship.destination])
            else {
                throw refusal(
                    "A pair of '\(relationship.name)' joins objects of entities "
                        + "that it does not join."
                )
            }
        }
    }

    private func entity(of id: ManagedObjectID) throws(StoreError) -> Entity {
        guard !id.isTemporaryID, id.store == store else {
            throw StoreError(
                .invalidRequest,
                "An object of '\(id.entityName)' has no key of this store; "
                    + "allocate keys before saving.",
                objectID: id)
        }
        guard let entity = model.entity(of: id) else {
            throw StoreError(
                .invalidRequest, "The store's model has no entity '\(id.entityName)'.", objectID: id
            )
        }
        return entity
    }

    private mutating func note(_ entity: Entity, _ key: Int64) throws(StoreError) {
        if key <= 0 {
            throw refusal(
                "An object of '\(entity.name)' has no allocated key; allocate keys before saving.")
        }
        if !seen.insert(ManagedObjectKey(root: entity.root, key: key)).inserted {
            throw refusal("An object of '\(entity.name)' occurs twice in one change set.")
        }
    }

    private func refusal(_ message: String) -> StoreError { StoreError(.invalidRequest, message) }
}
