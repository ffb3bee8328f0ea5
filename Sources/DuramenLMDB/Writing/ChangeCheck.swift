import DuramenModel
import DuramenStore

/// Refuses change sets that no context sends, at the cost of a few words read per row.
struct ChangeCheck {
    let schema: StoreSchema

    func check(_ changes: ChangeSet) throws(StoreError) {
        for row in changes.inserts { try check(row) }
        for update in changes.updates { try check(update.row) }
        for deletion in changes.deletes {
            guard schema.place(of: deletion.id) != nil, deletion.id.key > 0 else {
                throw refusal("A deletion names an object that is not of this store.", deletion.id)
            }
        }
        for change in changes.edges { try check(change) }
    }

    @inline(__always) private func check(_ row: Row) throws(StoreError) {
        let entity = row.entityID.index
        guard entity < schema.places.count, row.slotCount == schema.places[entity].layout.slotCount,
            row.key > 0, !schema.model.entities[entity].isAbstract
        else { throw misfit }
        for slot in schema.places[entity].references
        where row.integer(slot) <= 0 && !row.isNull(slot) {
            throw misfit
        }
    }

    private var misfit: StoreError {
        StoreError(
            .invalidRequest,
            "A row of the change set does not fit the store's model, or has a key that was never "
                + "allocated, its own or that of a to-one.")
    }

    private func check(_ change: EdgeChange) throws(StoreError) {
        guard schema.model.relationships.indices.contains(change.relationship.index),
            case .manyToMany = schema.model[change.relationship].storage
        else {
            throw StoreError(
                .invalidRequest,
                "A pair names no many-to-many of the model; other relationships are saved with rows."
            )
        }
        let relationship = schema.model[change.relationship]
        let source = schema.model[relationship.declaringEntity]
        let destination = schema.model[relationship.destination]
        for edge in change.added + change.removed {
            for (id, entity) in [(edge.source, source), (edge.destination, destination)] {
                guard id.store == schema.handle, id.key > 0,
                    schema.model.entity(of: id)?.isKind(of: entity) == true
                else {
                    throw refusal(
                        "A pair of '\(relationship.name)' names an object that it does not join.",
                        id)
                }
            }
        }
    }

    private func refusal(_ message: String, _ id: ManagedObjectID) -> StoreError {
        StoreError(.invalidRequest, message, objectID: id)
    }
}
