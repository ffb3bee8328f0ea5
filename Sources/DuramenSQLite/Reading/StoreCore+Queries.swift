import DuramenModel
import DuramenQuery
import DuramenSQL

extension StoreCore: SQLQuerySource {
    var mapping: AppleSchema { schema }
    var dialect: SQLiteDialect { SQLiteDialect() }
    var tables: any AnyObject & Sendable { schema }

    func selection(for query: StoreQuery) -> SQLSelection {
        let plan = plan(for: query)
        let isComplete = query.predicate == nil && schema.coversTable(plan.entities)
        return SQLSelection(
            columns: plan.columns, plan: plan,
            sink: isComplete && RowSink.takes(plan)
                ? "\(RowSink.functionName)(\(plan.columns))" : nil)
    }

    private func plan(for query: StoreQuery) -> ReadPlan {
        let plan =
            query.includesSubentities
            ? familyPlans[query.entity.index] : plans[query.entity.index]
        guard let slots = query.slots else { return plan }
        return ReadPlan(
            schema: schema, entities: plan.entities, slots: slots,
            readsVersions: query.needsVersions, checksums)
    }
}

extension CompiledQuery {
    /// The plan for reading rows, of a query of this kind of store.
    var readPlan: ReadPlan {
        // Sound: ``StoreCore`` gives read plans only, and its compiler uses no statements of other
        // tables than its schema's.
        unsafeDowncast(plan, to: ReadPlan.self)
    }
}
