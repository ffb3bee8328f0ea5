import DuramenModel
import Synchronization

/// What the closure of a typed predicate calls the object that it is about, until it has ended.
///
/// A closure within another may speak of both objects:
/// ```swift
/// FetchPredicate(Quake.self) { quake in quake.tags.any { tag in tag.name == quake.code } }
/// ```
/// So every path begins with a name for the closure that it comes from. When the closure ends, its
/// name goes away again: paths become those of the object itself, or of a variable where that is
/// not enough.
struct ClosureSubject {
    /// No property is called so; see ``UnmanagedKeyPath``.
    let name: String

    private static let mark = "\u{0}$"
    private static let count = Atomic<Int>(0)

    /// What a step is called that cannot be taken, such as one to a subquery; binding says so.
    static func impossibleStep(_ description: String) -> String { "\u{0}\(description)" }

    /// All attributes, which only the object itself can be asked for.
    static let anyKey = impossibleStep("ANYKEY of another object")

    init() {
        // Few enough bytes that the text needs no memory of its own.
        name = Self.mark + String(Self.count.add(1, ordering: .relaxed).newValue, radix: 36)
    }

    /// The object itself.
    var expression: FetchExpression { .keyPath([name]) }

    /// The names behind this one; all of them for the path of another closure, which no property
    /// fits.
    func names(_ path: [String]) -> [String] { isFirst(of: path) ? Array(path.dropFirst()) : path }

    func isFirst(of path: [String]) -> Bool {
        path.first.map { StoredText($0) == StoredText(name) } ?? false
    }

    /// Whether the path begins in any closure.
    static func isMarked(_ path: [String]) -> Bool { path.first?.hasPrefix(mark) ?? false }

    // MARK: - When the closure has ended

    // What is too complex is left as it is, since nothing may walk through it by recursion; binding
    // says so.

    /// The condition as one on the object itself; nil when it speaks of objects of closures around.
    func conditionOnSelf(_ condition: FetchPredicate) -> FetchPredicate? {
        if PredicateComplexity.problem(condition) != nil { return condition }
        var names = NamesInUse()
        names.visit(condition)
        if !names.subjects.subtracting([name]).isEmpty { return nil }
        return SubjectReplacement(subject: self, variable: nil).predicate(condition)
    }

    /// The condition as one on the object itself, or on that of a closure around.
    func ownCondition(_ condition: FetchPredicate) -> FetchPredicate {
        if PredicateComplexity.problem(condition) != nil { return condition }
        return SubjectReplacement(subject: self, variable: nil).predicate(condition)
    }

    /// Whether an expression speaks of the object.
    func isPart(of expression: FetchExpression) -> Bool {
        if PredicateComplexity.depth(of: expression) > PredicateComplexity.deepestNesting {
            return true
        }
        var names = NamesInUse()
        names.visit(expression)
        return names.subjects.contains(name)
    }

    /// The elements of a collection that the condition holds for.
    func subquery(of collection: FetchExpression, _ condition: FetchPredicate) -> FetchExpression {
        if PredicateComplexity.problem(condition) != nil {
            return .subquery(collection, variable: "x", condition)
        }
        var names = NamesInUse()
        names.visit(condition)
        return SubjectReplacement.subquery(
            of: collection, condition, subject: self, names: names.variables)
    }

    /// How many elements of a collection the condition holds for, as a count.
    func quantified(
        _ quantifier: PredicateQuantifier, of collection: FetchExpression,
        _ condition: FetchPredicate
    ) -> FetchPredicate {
        quantifier.comparison(
            ofCountOf: subquery(of: collection, quantifier.counted(condition)))
    }
}

/// The variables of a predicate, and the closures that it has paths of.
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
