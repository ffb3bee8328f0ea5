import DuramenModel
import DuramenQuery

/// The number of questions for each form of the language.
public struct FuzzCoverage: Sendable {
    /// The number of questions by form; unused forms are missing.
    public private(set) var counts: [String: Int] = [:]
    /// The number of all questions.
    public private(set) var cases = 0
    /// The number of questions that do not fit the model, which all stores refuse.
    public internal(set) var refused = 0
    /// The number of questions with at least one result, but not all.
    public internal(set) var discerning = 0

    /// Creates an empty coverage.
    public init() {}

    /// Adds the counts of another run.
    public mutating func add(_ other: FuzzCoverage) {
        counts.merge(other.counts, uniquingKeysWith: +)
        cases += other.cases
        refused += other.refused
        discerning += other.discerning
    }

    /// Each form with its count, one per line, including unused forms of ``FuzzForms/all`` with 0.
    public var lines: [String] {
        let listed = FuzzForms.all
        let known = Set(listed.map { StoredText($0) })
        let others = counts.keys.filter { !known.contains(StoredText($0)) }.sorted()
        return (listed + others).map { "\(counts[$0] ?? 0)\t\($0)" }
    }

    /// The forms that no question used.
    public var missing: [String] { FuzzForms.all.filter { counts[$0] == nil } }

    // MARK: - Counting

    /// Counts the notable values of objects.
    mutating func note(_ world: FuzzWorld) { counts.merge(world.forms, uniquingKeysWith: +) }

    /// Counts a question once for each of its forms.
    mutating func note(_ question: FuzzQuestion) {
        cases += 1
        var forms: Set<String> = []
        switch question {
        case .objects(let query, let answer): note(query, answer, &forms)
        case .results(let query): note(query, &forms)
        }
        for form in forms { counts[form, default: 0] += 1 }
    }

    private func note(
        _ query: StoreQuery, _ answer: FuzzQuestion.Answer, _ forms: inout Set<String>
    ) {
        forms.insert("query \(answer.rawValue)")
        if query.slots != nil { forms.insert("query some slots") }
        if let predicate = query.predicate { note(predicate, &forms) }
        noteCommon(query.includesSubentities, query.offset, query.limit, &forms)
        note(query.sortDescriptors, "sort", &forms)
    }

    private func note(_ query: ResultQuery, _ forms: inout Set<String>) {
        let isGrouped = !query.groupBy.isEmpty
        forms.insert("query results")
        if query.isDistinct { forms.insert("results distinct") }
        if isGrouped { forms.insert("results group by \(query.groupBy.count)") }
        if query.groupBy.contains(where: { $0.count > 1 }) {
            forms.insert("results group by path")
        }
        if let having = query.having {
            forms.insert("results having")
            note(having, &forms)
        }
        for column in query.columns {
            if case .function(let function, let arguments) = column.expression.form,
                function.isAggregate, arguments.count == 1
            {
                forms.insert("results column \(function.rawValue)")
            } else if case .keyPath = column.expression.form {
                forms.insert("results column property")
            } else {
                forms.insert("results column calculated")
            }
            note(column.expression, &forms)
        }
        if let predicate = query.predicate { note(predicate, &forms) }
        noteCommon(query.includesSubentities, query.offset, query.limit, &forms)
        note(query.sortDescriptors, "results sort", &forms)
    }

    private func noteCommon(
        _ includesSubentities: Bool, _ offset: Int, _ limit: Int?, _ forms: inout Set<String>
    ) {
        if !includesSubentities { forms.insert("query without subentities") }
        if offset > 0 { forms.insert("window offset") }
        if let limit { forms.insert(limit == 0 ? "window limit 0" : "window limit") }
        if offset > 0, limit != nil { forms.insert("window offset and limit") }
    }

    private func note(
        _ descriptors: [FetchSortDescriptor], _ name: String, _ forms: inout Set<String>
    ) {
        for descriptor in descriptors {
            forms.insert(
                "\(name) \(descriptor.comparison.rawValue), "
                    + (descriptor.isAscending ? "ascending" : "descending"))
            if descriptor.isSelf { forms.insert("\(name) by object") }
            if descriptor.countedPath != nil { forms.insert("\(name) by count") }
            if descriptor.keyPath.count > 1 { forms.insert("\(name) by path") }
        }
        if descriptors.count > 1 { forms.insert("\(name) by several keys") }
    }

    // MARK: - The language

    private func note(_ predicate: FetchPredicate, _ forms: inout Set<String>) {
        switch predicate.form {
        case .constant(let value): forms.insert(value ? "TRUEPREDICATE" : "FALSEPREDICATE")
        case .not(let part):
            forms.insert("NOT")
            note(part, &forms)
        case .and(let parts):
            forms.insert("AND")
            for part in parts { note(part, &forms) }
        case .or(let parts):
            forms.insert("OR")
            for part in parts { note(part, &forms) }
        case .quantified(let quantifier, _, let part):
            forms.insert("\(quantifier.rawValue) object (…)")
            note(part, &forms)
        case .comparison(let comparison): note(comparison, &forms)
        }
    }

    private func note(_ comparison: PredicateComparison, _ forms: inout Set<String>) {
        forms.insert("operator \(comparison.operator.rawValue)")
        for (option, letter) in FuzzForms.options where comparison.options.contains(option) {
            forms.insert("option [\(letter)]")
        }
        if let quantifier = comparison.quantifier {
            forms.insert("\(quantifier.rawValue) value")
        }
        note(comparison.left, &forms)
        note(comparison.right, &forms)
    }

    private func note(_ expression: FetchExpression, _ forms: inout Set<String>) {
        switch expression.form {
        case .function(let function, _): forms.insert("function \(function.rawValue)")
        case .cast(_, let type): forms.insert("cast \(type.rawValue)")
        case .subquery(_, _, let condition):
            forms.insert("SUBQUERY")
            var inner: Set<String> = []
            note(condition, &inner)
            if inner.contains("SUBQUERY") { forms.insert("SUBQUERY in SUBQUERY") }
        case .conditional: forms.insert("TERNARY")
        case .variable: forms.insert("variable")
        case .property(let base, _):
            if case .variable = base.form {
                forms.insert("property of a variable")
            } else {
                forms.insert("property of a SUBQUERY")
            }
        case .count: forms.insert("path @count")
        case .selfObject: forms.insert("SELF")
        case .keyPath(let path):
            forms.insert(path.count > 1 ? "path" : "property")
            if path.last == "length" { forms.insert("path length") }
            if path.last == "entity" { forms.insert("path entity") }
        case .aggregate: forms.insert("list of expressions")
        case .list: forms.insert("list of values")
        case .assignment: forms.insert("assignment")
        case .anyKey: forms.insert("ANYKEY")
        case .constant(let value): forms.insert("constant \(value.kindName)")
        }
        for operand in expression.operands { note(operand, &forms) }
        if let condition = expression.condition { note(condition, &forms) }
    }
}

extension StoredValue {
    fileprivate var kindName: String {
        switch self {
        case .null: "null"
        case .integer: "integer"
        case .double: "double"
        case .decimal: "decimal"
        case .boolean: "boolean"
        case .text: "text"
        case .uri: "uri"
        case .date: "date"
        case .binary: "bytes"
        case .uuid: "uuid"
        case .objectID: "object"
        }
    }
}
