import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Foundation

extension PostgresSnapshot {
    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        try core.checkUsable()
        return try PostgresCursor(query, on: self)
    }

    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        let select = try QueryCompiler(core).identifiers(query)
        let result = try run(select, query.query.cancellation)
        return (0..<result.rowCount).compactMap { core.id(result, $0, key: 0, entity: 1) }
    }

    func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        let select = try QueryCompiler(core).count(query)
        let total = Int(try run(select, query.query.cancellation).int64(0, 0) ?? 0)
        let rest = max(0, total - query.query.offset)
        return query.query.limit.map { min(rest, $0) } ?? rest
    }

    /// Runs a compiled statement and returns all its rows.
    func run(
        _ select: CompiledSelect, _ cancellation: CancellationFlag?
    ) throws(StoreError) -> ResultSet {
        var pipeline = Pipeline()
        pipeline.add(select.statement, select.bound)
        let results = try withReading(cancellation) { (reading) throws(StoreError) in
            try reading.runGuarded(pipeline)
        }
        guard let result = results.last else { throw core.damagedState }
        return result
    }
}

extension PostgresSnapshot: AggregatingSnapshot {
    func groups(of query: GroupQuery) throws(StoreError) -> [GroupValues]? {
        try core.checkUsable()
        guard let statement = try GroupStatement(query, core) else { return nil }
        let result = try run(statement.select, query.rows.cancellation)
        var groups: [GroupValues] = []
        groups.reserveCapacity(result.rowCount)
        for row in 0..<result.rowCount {
            // Without keys there is one row even for no rows.
            if statement.keys.isEmpty, result.int64(row, 0) == 0 { break }
            var values = GroupValues(keys: [], aggregates: [])
            var column = 1
            for key in statement.keys {
                values.keys.append(try value(key, result, row, &column))
            }
            for aggregate in statement.aggregates {
                values.aggregates.append(.value(try value(aggregate, result, row, &column)))
            }
            groups.append(values)
        }
        return groups
    }

    /// Decodes a key or an aggregate, and goes on behind its columns.
    private func value(
        _ part: SQLGroupColumn, _ result: ResultSet, _ row: Int, _ column: inout Int
    ) throws(StoreError) -> StoredValue {
        defer { column += part.columns.count }
        switch part.form {
        case .object:
            return core.id(result, row, key: column, entity: column + 1).map { .objectID($0) }
                ?? .null
        case .value(let kind):
            guard let value = Self.value(kind, result, row, column) else { throw damaged }
            return value
        case .wholeSum:
            return SQLGroupColumn.sum(try whole(result, row, column))
        case .wholeAverage:
            return SQLGroupColumn.average(
                try whole(result, row, column), count: result.int64(row, column + 1) ?? 0)
        case .boxed: throw damaged
        }
    }

    private func whole(
        _ result: ResultSet, _ row: Int, _ column: Int
    ) throws(StoreError) -> Int128 {
        guard let number = BinaryValue.decimal(result.bytes(row, column)),
            let whole = Int128(number.description)
        else { throw damaged }
        return whole
    }

    private var damaged: StoreError {
        StoreError(
            .damagedValue,
            "A value of a group in '\(core.place)' does not fit its attribute; another program "
                + "wrote it. Correct it there.")
    }

    /// A value in binary form; nil when it does not fit.
    private static func value(
        _ kind: SQLKind, _ result: ResultSet, _ row: Int, _ column: Int
    ) -> StoredValue? {
        if result.isNull(row, column) { return .null }
        let bytes = result.bytes(row, column)
        switch kind {
        case .integer: return BinaryValue.anyInteger(bytes).map { .integer($0) }
        case .boolean: return BinaryValue.bool(bytes).map { .boolean($0) }
        case .double: return number(bytes).map { .double($0 + 0.0) }
        case .date:
            return number(bytes).map { .date(Date(timeIntervalSinceReferenceDate: $0 + 0.0)) }
        case .text: return result.storedText(row, column).map { .text(StoredText($0)) }
        case .uri: return result.storedText(row, column).map { .uri(StoredText($0)) }
        case .binary: return .binary(Data(bytes))
        case .uuid: return BinaryValue.uuid(bytes).map { .uuid($0) }
        case .decimal, .number: return BinaryValue.decimal(bytes).map { .decimal($0) }
        case .boxed: return nil
        }
    }

    /// A double, or a float.
    private static func number(_ bytes: UnsafeRawBufferPointer) -> Double? {
        bytes.count == 4 ? BinaryValue.float(bytes).map(Double.init) : BinaryValue.double(bytes)
    }
}

extension PostgresSnapshot: ExplainingSnapshot {
    func steps(of query: PreparedQuery) throws(StoreError) -> [String] {
        let (_, select) = try QueryCompiler(core).rows(query)
        let plan = try withReading { (reading) throws(StoreError) in
            try reading.runGuarded(explanation(select))
        }
        guard plan.count > 2 else { return [select.text.sql] }
        let lines = plan[2]
        return [select.text.sql] + (0..<lines.rowCount).compactMap { lines.text($0, 0) }
    }

    /// A plan for given values shows them, so a general plan is asked for, which knows none.
    private func explanation(_ select: CompiledSelect) -> Pipeline {
        // One that could not be removed stays with the connection.
        let name = "x" + String(UInt64.random(in: 0 ... .max), radix: 16)
        let values = select.bound.map { _ in "NULL" }.joined(separator: ", ")
        var pipeline = Pipeline()
        for text in [
            "PREPARE \(name) AS \(select.text.sql)",
            "SET LOCAL plan_cache_mode = force_generic_plan",
            "EXPLAIN (COSTS OFF) EXECUTE \(name)\(values.isEmpty ? "" : "(\(values))")",
            "SET LOCAL plan_cache_mode = auto", "DEALLOCATE \(name)",
        ] { pipeline.add(text, prepared: false) }
        return pipeline
    }
}
