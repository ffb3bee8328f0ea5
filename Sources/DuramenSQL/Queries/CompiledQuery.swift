import DuramenModel
import DuramenQuery
package import Synchronization

/// The statements of all queries of one shape.
package final class CompiledQuery: Sendable {
    /// The query from which they were compiled.
    let query: StoreQuery
    /// See ``SQLQuerySource/tables``.
    package let tables: any AnyObject & Sendable
    /// The plan for reading rows, of the store's own type.
    package let plan: any AnyObject & Sendable
    /// Whether the rows come through ``SQLSelection/sink``.
    package let usesSink: Bool
    let texts: Texts
    fileprivate let parameters: [SQLParameter]
    /// The type of each of ``parameters``, and of those with a window after them.
    fileprivate let types: (all: [SQLParameterType], window: [SQLParameterType])
    /// The parameter for no limit.
    fileprivate let noLimit: SQLParameter
    private let sources: [ParameterSource?]
    /// Values for which alone the texts are valid, by their indexes in the shape.
    private let fixedValues: [(place: Int, value: StoredValue)]
    /// The indexes of values that must equal the next value.
    private let equalValues: [Int]
    /// The to-ones for which an index is useful.
    package let comparedToOnes: [SQLToOne]
    /// The number of rows of the last run, for which the next run reserves memory.
    package let lastRowCount = Atomic<Int>(16)

    /// The three statements of a query.
    struct Texts {
        let rows: StatementText
        let identifiers: StatementText
        let count: StatementText
    }

    /// Creates the statements of a query.
    init<Source: SQLQuerySource>(
        _ query: StoreQuery, _ source: Source, _ selection: SQLSelection, usesSink: Bool = false,
        _ texts: Texts, _ compiler: PredicateCompiler<Source.Mapping, Source.Dialect>? = nil
    ) {
        self.query = query
        tables = source.tables
        plan = selection.plan
        self.usesSink = usesSink
        self.texts = texts
        noLimit = source.dialect.noLimit
        parameters = compiler?.parameters ?? []
        let types = compiler?.types ?? []
        self.types = (types, types + [.bigint, .bigint])
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

    /// Returns the statements with the values of a query; nil for another shape, and for values
    /// that need other statements.
    func bound(to other: StoreQuery) -> BoundQuery? {
        values(of: other).flatMap { parameters($0) }.map { BoundQuery(self, $0) }
    }

    /// Returns the values of a query of this shape; nil for another shape.
    private func values(of other: StoreQuery) -> [StoredValue]? {
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

    /// Returns the values of the placeholders for a query of this shape; nil if a value does not
    /// have the form of its placeholder.
    private func parameters(_ values: [StoredValue]) -> [SQLParameter]? {
        if values.isEmpty { return parameters }
        var bound = parameters
        for (place, source) in sources.enumerated() {
            guard let source else { continue }
            guard let parameter = source.parameter(of: values) else { return nil }
            bound[place] = parameter
        }
        return bound
    }
}

/// The statements of a query, with its values.
final class BoundQuery: Sendable {
    let compiled: CompiledQuery
    private let parameters: [SQLParameter]

    /// Binds the values of the query from which the statements were compiled.
    convenience init(_ compiled: CompiledQuery) { self.init(compiled, compiled.parameters) }

    init(_ compiled: CompiledQuery, _ parameters: [SQLParameter]) {
        self.compiled = compiled
        self.parameters = parameters
    }

    /// Returns a statement for a run.
    ///
    /// - Parameters:
    ///   - text: The statement.
    ///   - window: The query with the window; nil for a statement without one.
    func select(_ text: StatementText, _ window: StoreQuery?) -> CompiledSelect {
        var bound = parameters
        let isWindowed = window?.isWindowed ?? false
        if let window, isWindowed {
            bound.append(window.limit.map { .integer(Int64($0)) } ?? compiled.noLimit)
            bound.append(.integer(Int64(window.offset)))
        }
        return CompiledSelect(
            text: text, parameters: bound,
            types: isWindowed ? compiled.types.window : compiled.types.all,
            comparedToOnes: compiled.comparedToOnes)
    }
}
