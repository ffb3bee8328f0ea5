import DuramenModel

/// How large a predicate or an expression is. It is counted while that is built, so that nothing
/// ever walks through, or releases by recursion, what is too deep.
struct PredicateSize: Sendable, Hashable {
    /// What is too much to be kept.
    enum Excess: UInt8, Sendable {
        case depth
        case path
        case list
    }

    /// How many predicates, functions and the like stand within each other below this one; values
    /// and paths do not count.
    private(set) var levels: Int16 = 0
    /// How many there are; 0 for a value or a path.
    private(set) var nodes: Int32 = 0
    /// Why the parts were not kept; nil when they were.
    private(set) var excess: Excess?

    /// The deepest that is kept. It is more than may be used, since lowering puts quantifiers
    /// around conditions.
    static let mostLevels = 2 * PredicateComplexity.deepestNesting
    /// The longest path that is kept. A path within a closure begins with a name of its own.
    static let longestPath = KeyPathResolver.longestPath + 1
    /// The longest list that is kept.
    static let longestList = 100_000

    private init() {}

    init(of form: FetchPredicate.Form) {
        self.init()
        nodes = 1
        switch form {
        case .constant: break
        case .comparison(let comparison):
            add(comparison.left.size)
            add(comparison.right.size)
        case .not(let part): add(part.size)
        case .quantified(_, let path, let part):
            add(part.size)
            check(path)
        case .and(let parts), .or(let parts): for part in parts { add(part.size) }
        }
        end()
    }

    init(of form: FetchExpression.Form) {
        self.init()
        switch form {
        case .constant, .selfObject, .variable, .anyKey: return
        case .list(let values): if values.count > Self.longestList { excess = .list }
        case .keyPath(let names), .count(let names): check(names)
        case .aggregate(let parts), .function(_, let parts):
            nodes = 1
            for part in parts { add(part.size) }
        case .property(let base, let names):
            nodes = 1
            add(base.size)
            check(names)
        case .subquery(let collection, _, let condition):
            nodes = 1
            add(collection.size)
            add(condition.size)
        case .conditional(let condition, let first, let second):
            nodes = 1
            add(condition.size)
            add(first.size)
            add(second.size)
        case .cast(let value, _), .assignment(_, let value):
            nodes = 1
            add(value.size)
        }
        end()
    }

    private mutating func add(_ part: PredicateSize) {
        excess = excess ?? part.excess
        if part.nodes == 0 { return }
        levels = max(levels, part.levels + 1)
        let (sum, overflows) = nodes.addingReportingOverflow(part.nodes)
        nodes = overflows ? .max : sum
    }

    private mutating func check(_ path: [String]) {
        if path.count > Self.longestPath { excess = excess ?? .path }
    }

    /// Keeps the numbers small, whatever is built upon what was not kept.
    private mutating func end() {
        if levels > Self.mostLevels { excess = excess ?? .depth }
        if excess != nil { levels = 0 }
    }

    // MARK: - Coding

    // A level is a name, a place among the arguments and a place in a list; and who encodes may
    // have levels around.
    private static let mostKeys = 3 * PredicateComplexity.deepestNesting + 64

    /// Makes sure that what is read is not nested so deeply that reading it by recursion fills the
    /// stack.
    static func checkDepth(of decoder: any Decoder) throws {
        if decoder.codingPath.count <= mostKeys { return }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription:
                    "A predicate is nested more than \(PredicateComplexity.deepestNesting) deep."))
    }

    /// Makes sure that there is something to be written.
    func checkEncoding(to encoder: any Encoder) throws {
        guard let excess else { return }
        throw EncodingError.invalidValue(
            excess,
            EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: excess.message))
    }
}

extension PredicateSize.Excess {
    /// What is wrong, and the remedy.
    var message: String {
        switch self {
        case .depth:
            "The predicate is nested more than \(PredicateComplexity.deepestNesting) deep. "
                + "Put conditions side by side in one and() or or()."
        case .path: "A key path has more than \(KeyPathResolver.longestPath) steps. Shorten it."
        case .list:
            "A list has more than \(PredicateSize.longestList) values. Ask in several parts."
        }
    }
}
