import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore

/// Looks up stored rows whose values of one constraint equal those of other rows.
///
/// It reuses its statement: a save that repeats stored values looks up each of its rows.
final class UniqueValueLookup {
    private let source: RowSource
    private let plan: ReadPlan
    private let slots: [(slot: Int, kind: SlotKind)]
    private let binder: RowBinder
    private let statement: Statement
    private let reader: RowReader
    private let pool = RowPool()
    /// Its memory is used again for each row.
    private var builder = RowBatchBuilder(capacity: 512)

    init(_ constraint: UniquenessConstraint, in source: RowSource) throws(StoreError) {
        let schema = source.core.schema
        let entity = schema.model[constraint.entity]
        self.source = source
        plan = source.core.familyPlans[constraint.entity.index]
        reader = try source.reader(for: plan)
        slots = constraint.slots.map { ($0, entity.layout.kinds[$0]) }
        binder = RowBinder(schema: schema)
        let conditions = constraint.slots.map {
            "t0.\(schema.column(slot: $0, of: constraint.entity)) = ?"
        }
        let numbers = entity.family.map { String(schema.number(of: $0)) }
        let key = StatementKey(
            purpose: .lookup, place: constraint.entity.index,
            clause: conditions.joined(separator: " AND "))
        let columns = plan.columns
        statement = try source.connection.take(key) { () throws(StoreError) in
            "SELECT \(columns) FROM \(schema.table(of: constraint.entity)) AS t0 "
                + "WHERE \(key.clause) AND t0.Z_ENT IN (\(numbers.joined(separator: ", ")))"
        }
    }

    deinit { source.connection.giveBack(statement) }

    func rows(like row: Row) throws(StoreError) -> [Row] {
        for (place, part) in slots.enumerated() {
            binder.bind(
                row, BindStep(kind: part.kind, slot: Int32(part.slot)), to: statement,
                at: Int32(place + 1))
        }
        source.connection.begin(statement)
        defer { source.connection.end(statement) }
        _ = try source.copyRows(of: statement, with: reader, into: &builder, maximum: nil)
        if builder.count == 0 { return [] }
        // If two numbers have one nearest REAL, the engine cannot distinguish them.
        return pool.take(from: &builder).filter { other in
            slots.allSatisfy { row.hasSameValue($0.slot, $0.kind, as: other) }
        }
    }
}
