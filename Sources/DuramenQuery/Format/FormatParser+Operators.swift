extension FormatParser {
    /// The operator at the present token; nil if there is none.
    var `operator`: FormatOperator? {
        isAtNotIn ? following.operator : token.operator
    }

    // `a NOT IN b` has the meaning of `NOT a IN b`.
    private var isAtNotIn: Bool { token.reserved == .not && following.reserved == .isIn }

    /// Parses an operator and its right side.
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
        case .comparison(let relation):
            if case .predicate = left.content {
                throw error(
                    .syntax, "A comparison cannot be compared again. Join two with AND.")
            }
            return try comparison(left, relation, quantifier: nil)
        }
    }

    /// Parses a chain of conditions with one connective.
    private mutating func chain(
        _ first: FormatNode, _ level: OperatorLevel
    ) throws(PredicateFormatError) -> FormatNode {
        var depth = first.depth
        var predicates = [try predicate(first)]
        while self.operator?.level == level {
            advance()
            let next = try node(level.next)
            depth = max(depth, next.depth)
            predicates.append(try predicate(next))
        }
        let whole = level == .or ? FetchPredicate.or(predicates) : .and(predicates)
        return try made(.predicate(whole), above: depth, at: first.start)
    }

    /// Parses the operator of a comparison, its options and its right side.
    mutating func comparison(
        _ left: FormatNode, _ relation: PredicateComparison.Operator,
        quantifier: PredicateQuantifier?
    ) throws(PredicateFormatError) -> FormatNode {
        let isNegated = isAtNotIn
        if isNegated { advance() }
        advance()
        let takesList = relation == .isIn || relation == .between
        if takesList { try refuseForeignList(relation) }
        let options = try options()
        if takesList, !options.isEmpty { try refuseForeignList(relation) }
        let right = try node(.set)
        let comparison = FetchPredicate.comparison(
            PredicateComparison(
                try expression(left), relation, try expression(right), options: options,
                quantifier: quantifier))
        return try made(
            .predicate(isNegated ? .not(comparison) : comparison),
            above: max(left.depth, right.depth), at: left.start)
    }

    /// Fails for a list in the syntax of SQL or Swift, before its first comma is misread.
    private func refuseForeignList(
        _ relation: PredicateComparison.Operator
    ) throws(PredicateFormatError) {
        let isBracket = token.kind == .sign("[") && !isAtOptions
        guard isBracket || (token.kind == .sign("(") && isAtListInParentheses) else { return }
        let word = relation == .isIn ? "IN" : "BETWEEN"
        throw error(
            .syntax,
            "\(word) takes a list, which is not written in \(isBracket ? "brackets" : "parentheses"). "
                + "Write it in braces, such as \(word) {1, 2}, or pass an array for \(word) %@.")
    }

    /// Whether the bracket at the present token has letters in it, as options have.
    private var isAtOptions: Bool {
        guard case .word = following.kind else { return false }
        return tokens.indices.contains(place + 2) && tokens[place + 2].kind == .sign("]")
    }

    /// Whether the parenthesis at the present token has only a number, or a comma at its own level.
    private var isAtListInParentheses: Bool {
        var depth = 0
        for token in tokens[place...] {
            switch token.kind {
            case .sign("("), .sign("["), .sign("{"): depth += 1
            case .sign(")"), .sign("]"), .sign("}"): depth -= 1
            case .sign(",") where depth == 1: return true
            default: break
            }
            if depth == 0 { break }
        }
        // A path after the parenthesis makes a computed value, such as `(3).min`.
        let rest = tokens[place...].dropFirst(2).prefix(2)
        guard let end = rest.first, let next = rest.last, end.kind == .sign(")"),
            [.end, .sign(")"), .sign(",")].contains(next.kind)
                || next.operator.map({ $0.level <= .and }) == true
        else { return false }
        switch following.kind {
        case .integer, .double, .decimal: return true
        default: return false
        }
    }

    private mutating func options() throws(PredicateFormatError)
        -> PredicateComparison.Options
    {
        guard skip("[") else { return [] }
        guard case .word(let letters) = token.kind else {
            throw error(.syntax, "Options are missing. Write [c], [d] or [cd].")
        }
        var options: PredicateComparison.Options = []
        var place = token.start
        for letter in letters.unicodeScalars {
            let lower = letter.isASCII ? Unicode.Scalar(UInt8(letter.value) | 0x20) : letter
            guard
                let found = PredicateComparison.Options.letters.first(where: { $0.letter == lower })
            else {
                throw error(
                    .syntax,
                    "'\(letter)' is not an option. There are c (case), d (marks), n (normalized), l (localized) and "
                        + "s (numbers).",
                    at: place)
            }
            options.insert(found.option)
            place += UTF8.width(letter)
        }
        advance()
        try expect("]", "The options have no end. Close them with ].")
        return options
    }
}
