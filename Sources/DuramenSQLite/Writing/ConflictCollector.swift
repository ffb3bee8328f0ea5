import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore

/// Finds every reason why a change set cannot be saved, with the stored rows.
struct ConflictCollector {
    let changes: ChangeSet
    let source: RowSource

    private var schema: AppleSchema { source.core.schema }
    private var model: ManagedObjectModel { schema.model }

    func conflicts() throws(StoreError) -> [StoreConflict] {
        let unenforced = try IndexCheck(connection: source.connection, schema: schema)
            .unenforcedConstraints()
        return try search(unenforced).conflicts(
            rows: { (ids) throws(StoreError) in
                try RowRequest(ids: ids, core: source.core).rows(from: source)
            },
            holders: { (row, constraint) throws(StoreError) in try storedRows(like: row, constraint)
            })
    }

    private func search(_ unenforced: Set<UniquenessConstraint> = []) -> ConflictSearch {
        ConflictSearch(changes, model: model, store: schema.store, unenforced: unenforced)
    }

    /// The rows of the final state that share unique values which the engine cannot judge: two decimals may
    /// have one nearest REAL.
    func decimalConflicts() throws(StoreError) -> [StoreConflict] {
        try search().uniquenessConflicts(
            where: { constraint in
                let kinds = model[constraint.entity].layout.kinds
                return constraint.slots.contains { kinds[$0] == .decimal }
            },
            holders: { (row, constraint) throws(StoreError) in try storedRows(like: row, constraint)
            })
    }

    private func storedRows(
        like row: Row, _ constraint: UniquenessConstraint
    ) throws(StoreError) -> [Row] {
        let declaring = model[constraint.entity]
        let kinds = constraint.slots.map { declaring.layout.kinds[$0] }
        let plan = source.core.familyPlans[constraint.entity.index]
        let conditions = constraint.slots.map {
            "t0.\(schema.column(slot: $0, of: constraint.entity)) = ?"
        }
        let numbers = declaring.family.map { String(schema.number(of: $0)) }
        let key = StatementKey(
            purpose: .lookup, place: constraint.entity.index,
            clause: conditions.joined(separator: " AND "))
        let statement = try source.connection.take(key) { () throws(StoreError) in
            "SELECT \(plan.columns) FROM \(schema.table(of: constraint.entity)) AS t0 "
                + "WHERE \(key.clause) AND t0.Z_ENT IN (\(numbers.joined(separator: ", ")))"
        }
        defer { source.connection.giveBack(statement) }
        let binder = RowBinder(schema: schema)
        for (place, slot) in constraint.slots.enumerated() {
            binder.bind(
                row, BindStep(kind: kinds[place], slot: Int32(slot)), to: statement,
                at: Int32(place + 1))
        }
        source.connection.begin(statement)
        var builder = RowBatchBuilder(capacity: 512)
        _ = try source.copyRows(
            of: statement, with: try source.reader(for: plan), into: &builder, maximum: nil)
        let batch = builder.finish()
        return batch.filter { other in
            zip(constraint.slots, kinds).allSatisfy { row.hasSameValue($0, $1, as: other) }
        }
    }
}
