import DuramenQuery

/// How often each form of the language was asked.
package struct FuzzCoverage: Sendable {
    /// The number of questions by form.
    package private(set) var counts: [String: Int] = [:]
    /// All questions.
    package private(set) var cases = 0
    /// Questions that the model does not take, which all stores refuse.
    package internal(set) var refused = 0
    /// Questions with at least one result, but not all.
    package internal(set) var discerning = 0

    /// No questions yet.
    package init() {}

    mutating func note(_ predicate: FetchPredicate) {
        cases += 1
        var forms: Set<String> = []
        visit(predicate, &forms)
        for form in forms { counts[form, default: 0] += 1 }
    }

    /// Adds what another run asked.
    package mutating func add(_ other: FuzzCoverage) {
        counts.merge(other.counts, uniquingKeysWith: +)
        cases += other.cases
        refused += other.refused
        discerning += other.discerning
    }

    private func visit(_ predicate: FetchPredicate, _ forms: inout Set<String>) {
        switch predicate {
        case .constant: forms.insert("constant")
        case .not(let part):
            forms.insert("not")
            visit(part, &forms)
        case .and(let parts), .or(let parts):
            forms.insert("and, or")
            for part in parts { visit(part, &forms) }
        case .quantified(let quantifier, _, let part):
            forms.insert("\(quantifier.rawValue) (…)")
            visit(part, &forms)
        case .comparison(let comparison):
            forms.insert("operator \(comparison.operator.rawValue)")
            if !comparison.options.isEmpty {
                forms.insert("options \(comparison.options.rawValue)")
            }
            if let quantifier = comparison.quantifier {
                forms.insert("\(quantifier.rawValue) path")
            }
            visit(comparison.left, &forms)
            visit(comparison.right, &forms)
        }
    }

    private func visit(_ expression: FetchExpression, _ forms: inout Set<String>) {
        switch expression {
        case .function(let function, _): forms.insert("function \(function.rawValue)")
        case .cast(_, let type): forms.insert("cast \(type.rawValue)")
        case .subquery: forms.insert("subquery")
        case .conditional: forms.insert("ternary")
        case .property, .variable: forms.insert("variable")
        case .count: forms.insert("@count")
        case .selfObject: forms.insert("SELF")
        case .keyPath(let path): forms.insert(path.count > 1 ? "path" : "property")
        case .aggregate: forms.insert("list of expressions")
        case .constant, .list, .assignment, .anyKey: break
        }
        for operand in expression.operands { visit(operand, &forms) }
        if let condition = expression.condition { visit(condition, &forms) }
    }
}
