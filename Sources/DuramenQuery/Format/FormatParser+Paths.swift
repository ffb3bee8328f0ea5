import DuramenModel

extension FormatParser {
    /// Parses the steps and indices after a value.
    mutating func postfix(_ first: FormatNode) throws(PredicateFormatError) -> FormatNode {
        var node = first
        while true {
            switch token.kind {
            case .sign("."):
                _ = try expression(node)
                advance()
                node = try step(after: node)
            case .sign("["):
                // A condition has no elements; the caller reports the error.
                guard case .expression = node.content else { return node }
                node = try index(node)
            default: return node
            }
        }
    }

    private mutating func step(after node: FormatNode) throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        switch token.kind {
        case .word where token.reserved == .selfObject:
            advance()
            return node
        case .word(let name), .name(let name):
            advance()
            return try step(name, after: node)
        case .collectionOperator: return try collection(node)
        case .placeholder(.keyPath):
            advance()
            return try keyPath(try pathArgument(at: start), after: node, at: start)
        default:
            throw error(.syntax, "A name is expected behind the dot. Write a property.")
        }
    }

    /// Appends a name to a path, or begins a path at another value.
    mutating func step(
        _ name: String, after node: FormatNode
    ) throws(PredicateFormatError) -> FormatNode {
        var longer = node
        longer.isLiteral = false
        let base = try expression(node)
        switch base.form {
        case .selfObject where !node.isParenthesized:
            longer.content = .expression(.keyPath([name]))
        case .keyPath(let names) where !node.isParenthesized:
            longer.content = .expression(.keyPath(try adding(name, to: names)))
        case .property(let start, let names) where !node.isParenthesized:
            longer.content = .expression(.property(start, try adding(name, to: names)))
        default:
            return try made(.expression(.property(base, [name])), of: [node], at: node.start)
        }
        return longer
    }

    private func adding(
        _ name: String, to names: [String]
    ) throws(PredicateFormatError) -> [String] {
        // The limit also bounds the cost, since each step copies the earlier steps.
        if names.count >= KeyPathResolver.longestPath {
            throw error(
                .tooComplex,
                "The key path has more than \(KeyPathResolver.longestPath) steps. Shorten it.")
        }
        return names + [name]
    }

    // MARK: - Collection operators

    /// Parses `@sum` and the steps after it; the parser is at the operator.
    mutating func collection(_ node: FormatNode) throws(PredicateFormatError) -> FormatNode {
        guard case .collectionOperator(let name) = token.kind else { return node }
        let start = token.start
        advance()
        var rest: [String] = []
        while token.kind == .sign(".") {
            switch following.kind {
            case .word where following.reserved == .selfObject: break
            case .word(let step): rest.append(step)
            // In Core Data, `#self` after an operator names the elements themselves.
            case .name(let step): if step != "self" { rest.append(step) }
            default: return try collection(name, rest, of: node, at: start)
            }
            advance()
            advance()
        }
        return try collection(name, rest, of: node, at: start)
    }

    /// Returns the collection function; `items.@sum.price` equals `items.price.@sum`.
    mutating func collection(
        _ name: String, _ rest: [String], of node: FormatNode, at start: Int
    ) throws(PredicateFormatError) -> FormatNode {
        var operand = node
        for step in rest { operand = try self.step(step, after: operand) }
        if ["unionOfObjects", "unionOfArrays", "unionOfSets"].contains(name) {
            operand.isParenthesized = true
            return operand
        }
        guard let function = FetchFunction(collectionOperator: name) else {
            throw error(
                .unknownName,
                "There is no operator @\(name). Use @count, @sum, @avg, @min, @max or "
                    + "@distinctUnionOfObjects.", at: start)
        }
        if function == .count, !operand.isParenthesized,
            case .keyPath(let path) = try expression(operand).form
        {
            var counted = operand
            counted.content = .expression(.count(keyPath: path))
            counted.isParenthesized = true
            return counted
        }
        return try apply(function, to: operand, at: node.start)
    }

    // MARK: - Indices

    /// Parses `a[0]`, `a['key']`, `a[FIRST]`, `a[LAST]` or `a[SIZE]`.
    private mutating func index(_ node: FormatNode) throws(PredicateFormatError) -> FormatNode {
        advance()
        let function: FetchFunction?
        switch following.kind == .sign("]") ? token.reserved : nil {
        case .first: function = .first
        case .last: function = .last
        case .size: function = .count
        default: function = nil
        }
        if let function {
            advance()
            advance()
            return try apply(function, to: node, at: node.start)
        }
        let place = try self.node(.set)
        try expect("]", "The index has no end. Close it with ].")
        return try made(
            .expression(.function(.element, [try expression(node), try expression(place)])),
            of: [node, place], at: node.start)
    }
}
