import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

// Changes of all rows that a query matches, by one statement of the server.
extension PostgresBatch {
    func update(
        _ query: StoreQuery, _ slots: SlotSet, to values: Row
    ) throws(StoreError) -> Int? {
        let entity = core.model[query.entity]
        guard let filter = try filter(query) else { return nil }
        let plan = core.writePlans[query.entity.index]
        let steps = plan.steps.filter { slots.contains($0.slot) }
        var columns = ColumnArrays(steps, core)
        try columns.add(values)
        var parameters = filter.parameters + [.bigint(stamp)]
        // Each column is an array of one element.
        let first = parameters.count + 1
        parameters += columns.finish()
        let assignments = steps.enumerated().map { place, step in
            ", \(step.column) = ($\(first + place)::\(step.type.array.name))[1]"
        }
        let text =
            "UPDATE \(core.schema.table(of: entity.id)) AS t0 "
            + "SET version = $\(first - 1)::bigint\(assignments.joined())\(filter.text)"
        return try run(text, parameters, query, .update, slots)
    }

    func delete(_ query: StoreQuery) throws(StoreError) -> Int? {
        let entity = core.model[query.entity]
        let members = query.includesSubentities ? entity.family : [entity.id]
        let isAlone = members.allSatisfy { member in
            core.writePlans[member.index].pairDeletions.isEmpty
                && !(keepsHistory && core.properties.leavesValues(member))
        }
        guard isAlone, let filter = try filter(query) else { return nil }
        var numbers = ArrayBuilder(.integer)
        for member in members {
            for (_, number) in core.writePlans[member.index].constraints {
                numbers.append(integer: number)
            }
        }
        let table = core.schema.table(of: entity.id)
        if numbers.count == 0 {
            return try run(
                "DELETE FROM \(table) AS t0\(filter.text)", filter.parameters, query, .delete, nil)
        }
        let list = "$\(filter.parameters.count + 1)::integer[]"
        let text =
            "WITH d AS (DELETE FROM \(table) AS t0\(filter.text) RETURNING t0.id, t0.entity), "
            + "c AS (DELETE FROM \(core.schema.own(.claims)) AS c USING d WHERE c.key = d.id "
            + "AND c.cons = ANY(\(list))) SELECT id, entity FROM d"
        return try run(
            text, filter.parameters + [numbers.finish()], query, .delete, nil, returnsRows: true)
    }

    /// The condition of a query; nil when it needs more than the table of the rows.
    private func filter(
        _ query: StoreQuery
    ) throws(StoreError) -> (text: String, parameters: [Parameter])? {
        guard let (text, compiler) = try QueryCompiler(core).filter(query) else { return nil }
        return (text, zip(compiler.parameters, compiler.types).map { Parameter($0, $1) })
    }

    /// Runs a statement, and adds its rows to the history.
    private func run(
        _ text: String, _ parameters: [Parameter], _ query: StoreQuery,
        _ kind: PersistentHistoryChange.ChangeType, _ slots: SlotSet?, returnsRows: Bool = false
    ) throws(StoreError) -> Int {
        let reading = RowReading(core, connection, RunLimits(cancellation: query.cancellation))
        try endCopying()
        hasWritten = true
        let returning = keepsHistory && !returnsRows ? " RETURNING t0.id, t0.entity" : ""
        let result = try reading.runText(text + returning, parameters)
        if keepsHistory { try recordRows(of: result, kind, slots) }
        return result.affectedRows
    }
}
