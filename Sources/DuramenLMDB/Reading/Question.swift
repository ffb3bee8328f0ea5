import DuramenModel
import DuramenQuery
import DuramenStore

/// A query checked against the model.
struct Question {
    let schema: StoreSchema
    let query: StoreQuery
    let entity: Entity
    let predicate: BoundPredicate?
    /// Nil when the order is that of the keys.
    let order: BoundSort?
    let conditions: QueryConditions

    /// - Throws: `.invalidRequest` for what does not fit the model.
    init(_ query: StoreQuery, schema: StoreSchema) throws(StoreError) {
        guard schema.model.entities.indices.contains(query.entity.index), query.offset >= 0,
            query.limit ?? 0 >= 0
        else {
            throw StoreError(
                .invalidRequest,
                "A query names an entity of the model, and no negative offset or limit.")
        }
        if let cancellation = query.cancellation, cancellation.isCancelled {
            throw Self.cancelled
        }
        self.schema = schema
        self.query = query
        entity = schema.model[query.entity]
        do throws(FetchPredicateError) {
            predicate = try query.predicate?.bound(to: entity, in: schema.model)
            order =
                query.sortDescriptors.isEmpty
                ? nil : try query.sortDescriptors.bound(to: entity, in: schema.model)
        } catch {
            throw StoreError(error)
        }
        conditions = QueryConditions(query, of: entity, schema: schema)
    }

    /// Whether values that stand in files may be needed: asked for, or to judge or to order rows by.
    var readsFiles: Bool {
        guard let slots = query.slots, query.predicate == nil, order == nil else { return true }
        return entity.family.contains { id in
            schema.places[id.index].externalSlots.contains(where: slots.contains)
        }
    }

    static var cancelled: StoreError { StoreError(.cancelled, "The query was cancelled.") }
}
