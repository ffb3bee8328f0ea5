import DuramenModel

/// The size of a predicate or an expression. It is computed during construction, so that a value
/// that is too deep is never walked or released by recursion.
struct PredicateSize: Sendable, Hashable {
    /// The part that is too large to be kept.
    enum Excess: UInt8, Sendable {
        case depth
        case path
        case list
    }

    /// The number of nested levels below this one. Predicates, functions and the like count; values
    /// and paths do not.
    private(set) var levels: Int16 = 0
    /// The number of nodes; 0 for a value or a path.
    private(set) var nodes: Int32 = 0
    /// The reason why the parts were not kept; nil if they were.
    private(set) var excess: Excess?

    /// The maximum depth that is kept. It exceeds the usable depth, since lowering adds quantifiers
    /// around conditions.
    static let mostLevels = 2 * PredicateComplexity.deepestNesting
    /// The maximum length of a path. A path within a closure begins with the closure's own name.
    static let longestPath = KeyPathResolver.longestPath + 1
    /// The maximum length of a list.
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

    /// Resets the numbers of a value that was not kept, so that they stay small.
    private mutating func end() {
        if levels > Self.mostLevels { excess = excess ?? .depth }
        if excess != nil { levels = 0 }
    }

    // MARK: - Coding

    // A level is a name, a place among the arguments and a place in a list. The encoder may add
    // more levels around.
    private static let mostKeys = 3 * PredicateComplexity.deepestNesting + 64

    /// Fails if the decoder is nested so deeply that recursive decoding could overflow the stack.
    static func checkDepth(of decoder: any Decoder) throws {
        if decoder.codingPath.count <= mostKeys { return }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription:
                    "A predicate is nested more than \(PredicateComplexity.deepestNesting) deep."))
    }

    /// Fails if the parts were not kept, since there is nothing to encode.
    func checkEncoding(to encoder: any Encoder) throws {
        guard let excess else { return }
        throw EncodingError.invalidValue(
            excess,
            EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: excess.message))
    }
}

extension PredicateSize.Excess {
    /// The problem and its remedy.
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
