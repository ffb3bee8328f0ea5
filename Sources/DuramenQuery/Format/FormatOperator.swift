/// An operator between two pieces of a format string.
struct FormatOperator {
    /// How tightly operators hold, the loosest first.
    enum Level: Int, Comparable {
        case or
        case and
        case not
        case comparison
        case set
        case bitwiseOr
        case bitwiseXor
        case bitwiseAnd
        case shift
        case sum
        case product
        case power
        case unary

        /// The next tighter level.
        var next: Level { Level(rawValue: rawValue + 1) ?? .unary }

        static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    enum Meaning {
        case or
        case and
        /// `words` have to be skipped, two for `NOT IN`.
        case comparison(PredicateComparison.Operator, isNegated: Bool, words: Int)
        case function(FetchFunction)
    }

    let level: Level
    let meaning: Meaning

    private init(_ level: Level, _ meaning: Meaning) {
        self.level = level
        self.meaning = meaning
    }

    /// The operator that the parser stands at; nil when it stands at none.
    init?(at parser: FormatParser) {
        switch parser.token.kind {
        case .sign(let sign):
            guard let found = Self.sign(sign) else { return nil }
            self = found
        case .word(let word):
            let word = word.uppercased()
            if word == "NOT", parser.following.keyword == "IN" {
                self.init(.comparison, .comparison(.isIn, isNegated: true, words: 2))
            } else {
                guard let found = Self.word(word) else { return nil }
                self = found
            }
        default: return nil
        }
    }

    private static func sign(_ sign: String) -> FormatOperator? {
        switch sign {
        case "||": FormatOperator(.or, .or)
        case "&&": FormatOperator(.and, .and)
        case "=", "==": comparison(.equal)
        case "!=", "<>": comparison(.notEqual)
        case "<": comparison(.less)
        case ">": comparison(.greater)
        case "<=", "=<": comparison(.lessOrEqual)
        case ">=", "=>": comparison(.greaterOrEqual)
        case "|": FormatOperator(.bitwiseOr, .function(.bitwiseOr))
        case "^": FormatOperator(.bitwiseXor, .function(.bitwiseXor))
        case "&": FormatOperator(.bitwiseAnd, .function(.bitwiseAnd))
        case "<<": FormatOperator(.shift, .function(.leftShift))
        case ">>": FormatOperator(.shift, .function(.rightShift))
        case "+": FormatOperator(.sum, .function(.add))
        case "-": FormatOperator(.sum, .function(.subtract))
        case "*": FormatOperator(.product, .function(.multiply))
        case "/": FormatOperator(.product, .function(.divide))
        case "**": FormatOperator(.power, .function(.raise))
        default: nil
        }
    }

    private static func word(_ word: String) -> FormatOperator? {
        switch word {
        case "OR": FormatOperator(.or, .or)
        case "AND": FormatOperator(.and, .and)
        case "BETWEEN": comparison(.between)
        case "IN": comparison(.isIn)
        case "CONTAINS": comparison(.contains)
        case "BEGINSWITH": comparison(.beginsWith)
        case "ENDSWITH": comparison(.endsWith)
        case "LIKE": comparison(.like)
        case "MATCHES": comparison(.matches)
        case "UNION": FormatOperator(.set, .function(.union))
        case "INTERSECT": FormatOperator(.set, .function(.intersect))
        case "MINUS": FormatOperator(.set, .function(.minus))
        default: nil
        }
    }

    private static func comparison(_ relation: PredicateComparison.Operator) -> FormatOperator {
        FormatOperator(.comparison, .comparison(relation, isNegated: false, words: 1))
    }
}

extension FormatParser {
    /// Reads an operator and what stands to its right.
    mutating func infix(
        _ left: FormatNode, _ found: FormatOperator
    ) throws(PredicateFormatError) -> FormatNode {
        switch found.meaning {
        case .or: return try chain(left, .or)
        case .and: return try chain(left, .and)
        case .function(let function):
            let first = try expression(left)
            advance()
            let right = try node(found.level.next)
            return try made(
                .expression(.function(function, [first, try expression(right)])),
                of: [left, right],
                at: left.start)
        case .comparison(let relation, let isNegated, let words):
            if case .predicate = left.content {
                throw error(
                    .syntax, "A comparison cannot be compared again. Join two with AND.")
            }
            for _ in 0..<words { advance() }
            return try comparison(left, relation, isNegated: isNegated, quantifier: nil)
        }
    }

    /// A chain of conditions with the same word between them.
    private mutating func chain(
        _ first: FormatNode, _ level: FormatOperator.Level
    ) throws(PredicateFormatError) -> FormatNode {
        var nodes = [first]
        var predicates = [try predicate(first)]
        while let found = FormatOperator(at: self), found.level == level {
            advance()
            let next = try node(level.next)
            nodes.append(next)
            predicates.append(try predicate(next))
        }
        let whole = level == .or ? FetchPredicate.or(predicates) : .and(predicates)
        return try made(.predicate(whole), of: nodes, at: first.start)
    }

    /// Reads options and the right side of a comparison, behind its operator.
    mutating func comparison(
        _ left: FormatNode, _ relation: PredicateComparison.Operator, isNegated: Bool,
        quantifier: PredicateQuantifier?
    ) throws(PredicateFormatError) -> FormatNode {
        let options = try options()
        let right = try node(.set)
        let comparison = FetchPredicate.comparison(
            PredicateComparison(
                try expression(left), relation, try expression(right), options: options,
                quantifier: quantifier))
        return try made(
            .predicate(isNegated ? .not(comparison) : comparison), of: [left, right],
            at: left.start)
    }

    private mutating func options() throws(PredicateFormatError)
        -> PredicateComparison.Options
    {
        guard skip("[") else { return [] }
        guard case .word(let letters) = token.kind else {
            throw error(.syntax, "Options are missing. Write [c], [d] or [cd].")
        }
        var options: PredicateComparison.Options = []
        for (index, letter) in letters.unicodeScalars.enumerated() {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            case "n", "N": options.insert(.normalized)
            case "l", "L": options.insert(.localeSensitive)
            default:
                throw error(
                    .syntax,
                    "'\(letter)' is no option. There are c (case), d (marks), n (normalized) and l (locale).",
                    at: token.start + index)
            }
        }
        advance()
        try expect("]", "The options have no end. Close them with ].")
        return options
    }
}
