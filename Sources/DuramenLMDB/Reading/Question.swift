import DuramenModel
import DuramenQuery
import DuramenStore

/// A query checked against the model, and bound to it, once when the store accepts it.
final class Question: Sendable {
    let schema: StoreSchema
    let query: StoreQuery
    let entity: Entity
    let predicate: BoundPredicate?
    /// Nil for the order of the keys.
    let order: BoundSort?
    let conditions: QueryConditions

    /// - Throws: `.invalidRequest` for a query that does not fit the model.
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

    /// The accepted part of another question: all of it, or without the order and the window.
    private init(_ pushed: StoreQuery, of whole: Question) {
        schema = whole.schema
        query = pushed
        entity = whole.entity
        predicate = whole.predicate
        order = pushed.sortDescriptors.isEmpty ? nil : whole.order
        var conditions = whole.conditions
        conditions.order = pushed.sortDescriptors
        self.conditions = conditions
    }

    /// The accepted part of the query: the condition, and the order if an index has it.
    var pushdown: Pushdown {
        let isOrdered =
            query.sortDescriptors.isEmpty
            || schema.places[entity.id.index].indexes.contains {
                conditions.isOrdered(by: schema.indexes[$0])
            }
        var pushdown = Pushdown(
            splitting: query, accepts: { _ in true }, acceptsOrder: { _ in isOrdered })
        let taken = pushdown.pushed
        let question = pushdown.needsSorting ? Question(taken, of: self) : self
        pushdown.prepared = PreparedQuery(taken, preparation: question)
        return pushdown
    }

    /// Whether values in files may be needed, because they are requested, or used in conditions or
    /// the order.
    var readsFiles: Bool {
        guard let slots = query.slots, query.predicate == nil, order == nil else { return true }
        return entity.family.contains { id in
            schema.places[id.index].externalSlots.contains(where: slots.contains)
        }
    }

    static var cancelled: StoreError { StoreError(.cancelled, "The query was cancelled.") }
}
