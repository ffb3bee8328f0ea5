import DuramenModel
import DuramenQuery
import DuramenSQL
import Synchronization

/// A statement's SQL, with a placeholder for each value, and its number in the caches of
/// connections.
struct StatementText: Sendable {
    let number: Int
    let sql: String
}

/// The statements of all queries of one shape.
final class CompiledQuery: Sendable {
    /// The query from which they were compiled, and the tables.
    let query: StoreQuery
    let schema: AppleSchema
    /// The plan for reading rows.
    let plan: ReadPlan
    /// Whether the rows are read with a ``RowSink``.
    let usesSink: Bool
    let rows: StatementText
    let identifiers: StatementText
    let count: StatementText
    private let parameters: [SQLParameter]
    private let sources: [ParameterSource?]
    /// Values for which alone the texts are valid, by their indexes in the shape.
    private let fixedValues: [(place: Int, value: StoredValue)]
    /// The indexes of values that must equal the next value.
    private let equalValues: [Int]
    let comparedToOnes: [SQLToOne]
    /// The number of rows of the last run, for which the next run reserves memory.
    let lastRowCount = Atomic<Int>(16)

    /// Creates statements without values.
    init(
        _ query: StoreQuery, _ schema: AppleSchema, plan: ReadPlan, usesSink: Bool,
        rows: StatementText,
        identifiers: StatementText, count: StatementText,
        _ compiler: PredicateCompiler<AppleSchema, SQLiteDialect>? = nil
    ) {
        self.query = query
        self.schema = schema
        self.plan = plan
        self.usesSink = usesSink
        self.rows = rows
        self.identifiers = identifiers
        self.count = count
        parameters = compiler?.parameters ?? []
        sources = compiler?.sources ?? []
        comparedToOnes = compiler?.comparedToOnes ?? []
        equalValues = compiler?.equalValues ?? []
        var values: [StoredValue] = []
        if let predicate = query.predicate {
            _ = PredicateShape.isSame(predicate, predicate, values: &values)
        }
        fixedValues = (compiler?.fixedValues ?? []).map { ($0, values[$0]) }
    }

    var parameterCount: Int { parameters.count }

    /// Returns the hash of a query's shape.
    static func hash(of query: StoreQuery) -> Int {
        var hasher = Hasher()
        hasher.combine(query.entity)
        hasher.combine(query.sortDescriptors.count)
        if let predicate = query.predicate { PredicateShape.hash(predicate, into: &hasher) }
        return hasher.finalize()
    }

    /// Returns the values of a query of this shape; nil for another shape.
    func values(of other: StoreQuery) -> [StoredValue]? {
        guard query.entity == other.entity, query.isWindowed == other.isWindowed,
            query.includesSubentities == other.includesSubentities, query.slots == other.slots,
            query.needsVersions == other.needsVersions,
            query.findsKeysFirst == other.findsKeysFirst,
            query.sortDescriptors.count == other.sortDescriptors.count,
            zip(query.sortDescriptors, other.sortDescriptors).allSatisfy({ $0 == $1 })
        else { return nil }
        var values: [StoredValue] = []
        switch (query.predicate, other.predicate) {
        case (nil, nil): break
        case (let mine?, let others?):
            guard PredicateShape.isSame(mine, others, values: &values),
                fixedValues.allSatisfy({ values[$0.place] == $0.value }),
                equalValues.allSatisfy({ values[$0] == values[$0 + 1] })
            else { return nil }
        default: return nil
        }
        return values
    }

    /// Returns the values of the placeholders for a query of this shape.
    ///
    /// - Parameter values: The result of ``values(of:)``; nil for the query from which this was
    ///   compiled.
    func parameters(_ values: [StoredValue]?) -> [SQLParameter] {
        guard let values, !values.isEmpty else { return parameters }
        var bound = parameters
        for (place, source) in sources.enumerated() {
            guard let source, let parameter = source.parameter(of: values) else { continue }
            bound[place] = parameter
        }
        return bound
    }
}

/// The statements of a query, with its values.
final class BoundQuery: Sendable {
    let compiled: CompiledQuery
    private let parameters: [SQLParameter]

    init(_ compiled: CompiledQuery, _ values: [StoredValue]?) {
        self.compiled = compiled
        parameters = compiled.parameters(values)
    }

    /// Returns a statement for a run.
    ///
    /// - Parameters:
    ///   - text: The statement.
    ///   - window: The query with the window; nil for a statement without one.
    func select(_ text: StatementText, _ window: StoreQuery?) -> CompiledSelect {
        var bound = parameters
        if let window, window.isWindowed {
            bound.append(.integer(Int64(window.limit ?? -1)))
            bound.append(.integer(Int64(window.offset)))
        }
        return CompiledSelect(
            text: text, parameters: bound, comparedToOnes: compiled.comparedToOnes)
    }
}
