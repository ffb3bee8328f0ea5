/// Parses classes, from `[` to `]`.
///
/// The precedence is ICU's. Adjacent parts are united; `-[` and `&[` have the precedence of this
/// union, from left to right. `--` and `&&` have a lower precedence, and `[^` the lowest.
extension RegularExpressionParser {
    private typealias Node = CharacterClass.Node

    /// The last part of a class, which determines the meaning of `-` and `&`.
    private enum Last: Equatable {
        case nothing, literal(Unicode.Scalar), escape, nested, operation
    }

    /// Parses a class after its bracket.
    mutating func characterClass() throws(RegularExpressionError) -> CharacterClass.Node {
        let start = scanner.offset
        try descend()
        defer { ascend() }
        let wasInClass = scanner.isInClass
        scanner.isInClass = true
        defer { scanner.isInClass = wasInClass }
        if let name = scanner.posixName() {
            let isNegated = name.hasPrefix("^")
            let node = try property(isNegated ? String(name.dropFirst()) : name)
            return isNegated ? .complement(node) : node
        }
        let isNegated = try scanner.skip("^")
        var builder = ClassBuilder(folding, isCaseless: flags.isCaseless)
        var last = Last.nothing
        while true {
            switch try scanner.next() {
            case .end:
                throw invalid("The '[' is not closed. Add ']', or write '\\['.", at: start)
            case .plain("]") where last != .nothing:
                if last == .operation { throw badOperation() }
                let node = builder.finish()
                return isNegated ? .complement(node) : node
            case .plain("["):
                builder.append(.union, try characterClass())
                last = .nested
            case .plain("-"): last = try dash(after: last, &builder)
            case .plain("&"): last = try ampersand(after: last, &builder)
            case .plain(let scalar), .quoted(let scalar):
                last = try literal(scalar, &builder)
            case .escape(let scalar):
                if let node = try classEscape(scalar) {
                    builder.join(node)
                    // As in ICU: a property is a class, and the other escapes are like ranges.
                    last = scalar == "p" || scalar == "P" ? .nested : .escape
                } else {
                    last = try literal(try escapedLiteral(scalar), &builder)
                }
            }
        }
    }

    private func literal(
        _ scalar: Unicode.Scalar, _ builder: inout ClassBuilder
    ) throws(RegularExpressionError) -> Last {
        guard folding.fold(scalar).count < 2 else {
            throw unsupported(
                "a member of a class that folds to several scalars",
                "Write it as an alternative outside the class.")
        }
        builder.append(scalar.value...scalar.value)
        return .literal(scalar)
    }

    private mutating func dash(
        after last: Last, _ builder: inout ClassBuilder
    ) throws(RegularExpressionError) -> Last {
        let next = try scanner.peek()
        switch (last, next) {
        case (.operation, _): break
        case (.nothing, .plain("-")): throw badOperation()
        case (_, .plain("-")):
            _ = try scanner.next()
            builder.begin(.difference)
            return .operation
        case (.nested, .plain("[")):
            _ = try scanner.next()
            builder.append(.difference, try characterClass())
            return .nested
        case (.literal, .plain("[")), (.literal, .plain("]")): break
        case (.literal(let lower), _): return try range(from: lower, &builder)
        default: break
        }
        return try literal("-", &builder)
    }

    private mutating func range(
        from lower: Unicode.Scalar, _ builder: inout ClassBuilder
    ) throws(RegularExpressionError) -> Last {
        let upper: Unicode.Scalar
        switch try scanner.next() {
        case .plain(let scalar), .quoted(let scalar): upper = scalar
        case .escape(let scalar): upper = try escapedLiteral(scalar)
        case .end: throw invalid("A range has no end. Write '\\-' for a dash.")
        }
        guard lower <= upper else {
            throw invalid("The ends of a range are in the wrong order. Exchange them.")
        }
        _ = try literal(upper, &builder)
        builder.append(lower.value...upper.value)
        return .escape
    }

    private mutating func ampersand(
        after last: Last, _ builder: inout ClassBuilder
    ) throws(RegularExpressionError) -> Last {
        switch (last, try scanner.peek()) {
        case (.operation, _): break
        case (.nothing, .plain("&")): throw badOperation()
        case (_, .plain("&")):
            _ = try scanner.next()
            builder.begin(.intersection)
            return .operation
        case (.nested, .plain("[")):
            _ = try scanner.next()
            builder.append(.intersection, try characterClass())
            return .nested
        default: break
        }
        return try literal("&", &builder)
    }

    private func badOperation() -> RegularExpressionError {
        invalid("'&&' and '--' need something on both sides. Write '\\&' or '\\-' for themselves.")
    }

    // MARK: - Escapes

    /// Returns the class of an escape; nil if the escape is not a class.
    mutating func classEscape(
        _ scalar: Unicode.Scalar
    ) throws(RegularExpressionError) -> CharacterClass.Node? {
        switch scalar {
        case "d": return .property(.digit)
        case "D": return .complement(.property(.digit))
        case "w": return .property(.word)
        case "W": return .complement(.property(.word))
        case "s": return .property(.space)
        case "S": return .complement(.property(.space))
        case "h": return .property(.blank)
        case "H": return .complement(.property(.blank))
        case "v": return .lineTerminators
        case "V": return .complement(.lineTerminators)
        case "p", "P":
            guard let name = scanner.braced() else {
                throw invalid("'\\\(scalar)' names no property. Write '\\\(scalar){…}'.")
            }
            let node = try property(name)
            return scalar == "P" ? .complement(node) : node
        default: return nil
        }
    }

    private func property(_ name: String) throws(RegularExpressionError) -> Node {
        guard let property = UnicodeProperty(named: name) else {
            throw unsupported(
                "a property that is neither a general category nor binary",
                "Use one of those, or ranges.")
        }
        return .property(flags.isCaseless || folding.foldsCase ? property.caseless : property)
    }
}

extension RegularExpressionParser {
    /// Builds a class from its parts.
    private struct ClassBuilder {
        let folding: ScalarFolding
        let isCaseless: Bool
        // The operations so far, without the last operand.
        private var steps: [CharacterClass.Step] = []
        private var operation = CharacterClass.Operation.union
        // The last operand, and the ranges to unite with it.
        private var operand: [CharacterClass.Step] = []
        private var ranges: [ClosedRange<UInt32>] = []

        init(_ folding: ScalarFolding, isCaseless: Bool) {
            self.folding = folding
            self.isCaseless = isCaseless
        }

        mutating func append(_ range: ClosedRange<UInt32>) { ranges.append(range) }

        mutating func append(_ operation: CharacterClass.Operation, _ node: CharacterClass.Node) {
            if operation != .union { appendRanges() }
            operand.append(CharacterClass.Step(operation, node))
        }

        /// Adds the class of an escape. As in ICU, it extends a preceding `&[…]` or `-[…]`.
        mutating func join(_ node: CharacterClass.Node) {
            guard let last = operand.last, last.operation != .union, ranges.isEmpty else {
                return append(.union, node)
            }
            operand[operand.count - 1] = CharacterClass.Step(
                last.operation,
                .steps([.init(.union, last.operand), .init(.union, node)]))
        }

        /// Ends an operand of `&&` or `--`.
        mutating func begin(_ next: CharacterClass.Operation) {
            appendRanges()
            steps.append(CharacterClass.Step(operation, .result(of: operand)))
            operand = []
            operation = next
        }

        mutating func finish() -> CharacterClass.Node {
            begin(.union)
            return .result(of: steps)
        }

        private mutating func appendRanges() {
            if ranges.isEmpty { return }
            let folded = folding.ranges(ranges, isCaseless: isCaseless)
            operand.append(CharacterClass.Step(.union, .ranges(folded)))
            ranges = []
        }
    }
}
