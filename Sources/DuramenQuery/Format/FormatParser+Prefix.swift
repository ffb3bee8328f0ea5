import DuramenModel

extension FormatParser {
    /// Parses an operand: a value, a condition in parentheses, NOT or ANY.
    mutating func prefix() throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        switch token.kind {
        case .sign("!"): return try not(start)
        case .sign("("):
            advance()
            var inner = try node(.or)
            try expect(")", "A parenthesis has no end. Close it with ).")
            inner.isParenthesized = true
            inner.isLiteral = false
            inner.start = start
            return try postfix(inner)
        case .sign("-"): return try minus(start)
        case .sign("~"):
            advance()
            return try apply(.onesComplement, to: try node(.unary), at: start)
        default: break
        }
        switch token.reserved {
        case .not: return try not(start)
        case .any, .atLeastOne: return try quantified(.any)
        case .all: return try quantified(.all)
        case .notOne: return try quantified(.none)
        case .truePredicate:
            advance()
            return try made(.predicate(.constant(true)), of: [], at: start)
        case .falsePredicate:
            advance()
            return try made(.predicate(.constant(false)), of: [], at: start)
        default: return try postfix(try atom())
        }
    }

    private mutating func not(_ start: Int) throws(PredicateFormatError) -> FormatNode {
        advance()
        let inner = try node(.not)
        return try made(.predicate(.not(try predicate(inner))), of: [inner], at: start)
    }

    /// Parses a minus. It makes a number negative; elsewhere it is a function.
    private mutating func minus(_ start: Int) throws(PredicateFormatError) -> FormatNode {
        advance()
        let value: StoredValue
        switch token.kind {
        case .integer(let magnitude):
            if let number = Int64(exactly: magnitude) {
                value = .integer(-number)
            } else {
                value = magnitude == 1 << 63 ? .integer(.min) : .decimal(-Self.decimal(magnitude))
            }
        case .double(let number): value = .double(number == 0 ? 0 : -number)
        case .decimal(let number): value = .decimal(-number)
        default: return try apply(.negate, to: try node(.unary), at: start)
        }
        advance()
        return try leaf(.constant(value), at: start, isLiteral: true)
    }

    mutating func apply(
        _ function: FetchFunction, to node: FormatNode, at start: Int
    ) throws(PredicateFormatError) -> FormatNode {
        try made(
            .expression(.function(function, [try expression(node)])), above: node.depth, at: start)
    }

    // MARK: - ANY, ALL, NONE

    /// Parses `ANY path operator value`, or Duramen's own `ANY path (condition on the objects)`.
    private mutating func quantified(
        _ quantifier: PredicateQuantifier
    ) throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        advance()
        var left = try node(.set)
        if token.kind == .sign("("), !left.isParenthesized,
            case .expression(let value) = left.content, let path = value.keyPathNames
        {
            advance()
            let inner = try node(.or)
            try expect(")", "The condition has no end. Close it with ).")
            return try made(
                .predicate(.quantified(quantifier, keyPath: path, try predicate(inner))),
                of: [inner], at: start)
        }
        guard case .comparison(let relation)? = self.operator?.meaning else {
            throw error(
                .syntax,
                "An operator is expected here. Compare the values, or put a condition in ().")
        }
        left.start = start
        return try comparison(left, relation, quantifier: quantifier)
    }
}
