/// A parsed part of a format string: a condition, or a value.
struct FormatNode {
    enum Content {
        case predicate(FetchPredicate)
        case expression(FetchExpression)
    }

    var content: Content
    /// The position of the part in bytes.
    var start: Int
    /// The depth of nested predicates, functions and the like.
    var depth: Int
    /// Whether parentheses end the path, so that no steps can be added.
    var isParenthesized = false
    /// Whether the part is a literal value alone.
    var isLiteral = false
}

/// Parses a format string from its first token to its last.
///
/// One procedure parses conditions and values, since an opening parenthesis may begin either. The
/// kind of the result is checked where it is used. Nothing is parsed twice.
struct FormatParser {
    let format: String
    let tokens: [FormatToken]
    var place = 0
    private var arguments: ArraySlice<any PredicateArgument>
    private let argumentCount: Int
    private var nesting = 0
    var parts = 0

    init(
        _ format: String, _ arguments: [any PredicateArgument]
    ) throws(PredicateFormatError) {
        self.format = format
        self.arguments = arguments[...]
        argumentCount = arguments.count
        tokens = try FormatLexer.tokens(format)
    }

    // One level of nesting makes few nested calls, so this limit never overflows the stack.
    private static let deepestCalls = 3 * PredicateComplexity.deepestNesting

    /// Parses the whole string as a condition.
    mutating func predicate() throws(PredicateFormatError) -> FetchPredicate {
        if token.kind == .end {
            throw error(.syntax, "The format string is empty. Write a condition.")
        }
        let node = try node(.or)
        try end()
        return try predicate(node)
    }

    /// Parses the whole string as a value.
    mutating func expression() throws(PredicateFormatError) -> FetchExpression {
        let node = try node(.or)
        try end()
        return try expression(node)
    }

    private func end() throws(PredicateFormatError) {
        if token.kind != .end {
            throw error(
                .syntax, "The condition ends before this. Join conditions with AND or OR.")
        }
        if !arguments.isEmpty {
            throw error(
                .argumentMismatch,
                "There are \(argumentCount) arguments for \(argumentCount - arguments.count) "
                    + "placeholders. Leave the others out, or write %@ for them; %@ between quotes is text."
            )
        }
    }

    // MARK: - Words

    var token: FormatToken { tokens[place] }

    /// The token after the present token.
    var following: FormatToken { tokens[Swift.min(place + 1, tokens.count - 1)] }

    mutating func advance() { if place < tokens.count - 1 { place += 1 } }

    mutating func skip(_ sign: FormatSign) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        advance()
        return true
    }

    mutating func expect(_ sign: FormatSign, _ problem: String) throws(PredicateFormatError) {
        if !skip(sign) { throw error(.syntax, problem) }
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - message: The problem and its remedy.
    ///   - offset: The position in bytes; nil for the present token.
    func error(
        _ code: PredicateFormatError.Code, _ message: String, at offset: Int? = nil
    ) -> PredicateFormatError {
        PredicateFormatError(code, format: format, byteOffset: offset ?? token.start, message)
    }

    mutating func nextArgument(at start: Int) throws(PredicateFormatError) -> any PredicateArgument
    {
        guard let argument = arguments.popFirst() else {
            throw error(
                .argumentMismatch,
                "There are \(argumentCount) arguments, and this placeholder asks for another one. Give "
                    + "an argument for each, in order.", at: start)
        }
        return argument
    }

    // MARK: - Pieces

    /// Parses operands and operators that bind at least as tightly as `level`.
    mutating func node(_ level: OperatorLevel) throws(PredicateFormatError) -> FormatNode {
        nesting += 1
        defer { nesting -= 1 }
        if nesting > Self.deepestCalls { throw tooDeep(at: token.start) }
        var left = try prefix()
        while let found = self.operator, found.level >= level {
            left = try infix(left, found)
        }
        return left
    }

    func predicate(_ node: FormatNode) throws(PredicateFormatError) -> FetchPredicate {
        switch node.content {
        case .predicate(let predicate): return predicate
        case .expression:
            throw error(
                .syntax,
                "This is a value, and a condition is needed. Compare it, for instance with == YES.",
                at: node.start)
        }
    }

    func expression(_ node: FormatNode) throws(PredicateFormatError) -> FetchExpression {
        switch node.content {
        case .expression(let expression): return expression
        case .predicate:
            throw error(
                .syntax,
                "This is a condition, and a value is needed. Use TERNARY(condition, YES, NO).",
                at: node.start)
        }
    }

    /// Returns a part that consists of other parts.
    mutating func made(
        _ content: FormatNode.Content, of parts: [FormatNode], at start: Int
    ) throws(PredicateFormatError) -> FormatNode {
        try made(content, above: parts.map(\.depth).max() ?? 0, at: start)
    }

    /// Returns a part that consists of parts of a given depth.
    mutating func made(
        _ content: FormatNode.Content, above inner: Int, at start: Int
    ) throws(PredicateFormatError) -> FormatNode {
        let depth = inner + 1
        if depth > PredicateComplexity.deepestNesting { throw tooDeep(at: start) }
        try count(at: start)
        return FormatNode(content: content, start: start, depth: depth)
    }

    /// Returns a part without other parts.
    mutating func leaf(
        _ expression: FetchExpression, at start: Int, isLiteral: Bool = false
    ) throws(PredicateFormatError) -> FormatNode {
        try count(at: start)
        return FormatNode(
            content: .expression(expression), start: start, depth: 0, isLiteral: isLiteral)
    }

    private mutating func count(at start: Int) throws(PredicateFormatError) {
        parts += 1
        if parts > 4 * PredicateComplexity.mostNodes {
            throw error(
                .tooComplex,
                "The predicate has too many parts. Give long lists as one argument of IN.",
                at: start)
        }
    }

    private func tooDeep(at start: Int) -> PredicateFormatError {
        error(
            .tooComplex,
            "The predicate is nested more than \(PredicateComplexity.deepestNesting) deep. Put "
                + "conditions side by side.", at: start)
    }
}
