import DuramenModel
import Synchronization

/// The name of the object of a typed predicate's closure, while the closure runs.
///
/// A nested closure can refer to both objects:
/// ```swift
/// FetchPredicate(Quake.self) { quake in quake.tags.any { tag in tag.name == quake.code } }
/// ```
/// So every path begins with the name of its closure. When the closure ends, its name is removed: a
/// path then begins at the object itself, or at a variable if that is not enough.
struct ClosureSubject {
    /// The name, which no property can have; see ``UnmanagedKeyPath``.
    let name: String

    private static let mark = "\u{0}$"
    private static let count = Atomic<Int>(0)

    /// Returns a name for a step that is not possible, such as a step to a subquery. Binding
    /// reports it.
    static func impossibleStep(_ description: String) -> String { "\u{0}\(description)" }

    /// All attributes, which are only possible for the object itself.
    static let anyKey = impossibleStep("ANYKEY of another object")

    init() {
        // Few enough bytes that the text needs no allocation.
        name = Self.mark + String(Self.count.add(1, ordering: .relaxed).newValue, radix: 36)
    }

    /// The expression of the object itself.
    var expression: FetchExpression { .keyPath([name]) }

    /// Returns the names after this closure's name. The path of another closure is returned
    /// unchanged; no property matches it.
    func names(_ path: [String]) -> [String] { isFirst(of: path) ? Array(path.dropFirst()) : path }

    func isFirst(of path: [String]) -> Bool {
        path.first.map { StoredText($0) == StoredText(name) } ?? false
    }

    /// Returns whether the path begins with the name of a closure.
    static func isMarked(_ path: [String]) -> Bool { path.first?.hasPrefix(mark) ?? false }

    // MARK: - After the closure

    // A condition that is too complex is returned unchanged, since recursion into it is not safe;
    // binding reports it.

    /// Returns the condition for the object itself; nil if it refers to objects of enclosing
    /// closures.
    func conditionOnSelf(_ condition: FetchPredicate) -> FetchPredicate? {
        if PredicateComplexity.problem(condition) != nil { return condition }
        var names = NamesInUse()
        names.visit(condition)
        if !names.subjects.subtracting([name]).isEmpty { return nil }
        return SubjectReplacement(subject: self, variable: nil).predicate(condition)
    }

    /// Returns the condition for the object itself, or for objects of enclosing closures.
    func ownCondition(_ condition: FetchPredicate) -> FetchPredicate {
        if PredicateComplexity.problem(condition) != nil { return condition }
        return SubjectReplacement(subject: self, variable: nil).predicate(condition)
    }

    /// Returns whether an expression refers to the object.
    func isPart(of expression: FetchExpression) -> Bool {
        if PredicateComplexity.depth(of: expression) > PredicateComplexity.deepestNesting {
            return true
        }
        var names = NamesInUse()
        names.visit(expression)
        return names.subjects.contains(name)
    }

    /// Returns the elements of a collection that satisfy the condition.
    func subquery(of collection: FetchExpression, _ condition: FetchPredicate) -> FetchExpression {
        if PredicateComplexity.problem(condition) != nil {
            return .subquery(collection, variable: "x", condition)
        }
        var names = NamesInUse()
        names.visit(condition)
        return SubjectReplacement.subquery(
            of: collection, condition, subject: self, names: names.variables)
    }

    /// Returns a quantified condition as a comparison of a count.
    func quantified(
        _ quantifier: PredicateQuantifier, of collection: FetchExpression,
        _ condition: FetchPredicate
    ) -> FetchPredicate {
        quantifier.comparison(
            ofCountOf: subquery(of: collection, quantifier.counted(condition)))
    }
}

/// The variables of a predicate, and the closures to which its paths belong.
struct NamesInUse {
    private(set) var variables: Set<String> = []
    private(set) var subjects: Set<String> = []

    mutating func visit(_ predicate: FetchPredicate) {
        switch predicate.form {
        case .constant: break
        case .comparison(let comparison):
            visit(comparison.left)
            visit(comparison.right)
        case .not(let part): visit(part)
        case .and(let parts), .or(let parts): for part in parts { visit(part) }
        case .quantified(_, let path, let part):
            visit(path)
            visit(part)
        }
    }

    mutating func visit(_ expression: FetchExpression) {
        switch expression.form {
        case .keyPath(let path), .count(let path): visit(path)
        case .variable(let name), .subquery(_, let name, _), .assignment(let name, _):
            variables.insert(name)
        default: break
        }
        for operand in expression.operands { visit(operand) }
        if let condition = expression.condition { visit(condition) }
    }

    private mutating func visit(_ path: [String]) {
        if ClosureSubject.isMarked(path), let name = path.first { subjects.insert(name) }
    }
}
