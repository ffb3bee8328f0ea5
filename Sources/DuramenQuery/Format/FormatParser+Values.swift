import DuramenModel
import Foundation

extension FormatParser {
    /// Parses a value without operators.
    mutating func atom() throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        switch token.kind {
        case .text(let text): return try literal(.text(StoredText(text)))
        case .integer(let number):
            return try literal(
                Int64(exactly: number).map { .integer($0) } ?? .decimal(Self.decimal(number)))
        case .double(let number): return try literal(.double(number))
        case .decimal(let number): return try literal(.decimal(number))
        case .placeholder(let placeholder):
            advance()
            return try argument(for: placeholder, at: start)
        case .sign("{"): return try list()
        case .name(let name):
            advance()
            return try leaf(.keyPath([name]), at: start)
        case .variable(let name): return try variable(name)
        case .collectionOperator:
            // The steps that follow belong to the object itself.
            return try collection(try leaf(.selfObject, at: start))
        case .selector(let name): return try selector(name)
        case .word(let word): return try self.word(word)
        case .end:
            throw error(.syntax, "The format string ends where a value is expected. Complete it.")
        case .sign(let sign):
            throw error(.syntax, "A value is expected before '\(sign)'. Write one.")
        }
    }

    static func decimal(_ number: UInt64) -> Decimal { Decimal(number) }

    private mutating func literal(_ value: StoredValue) throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        advance()
        return try leaf(.constant(value), at: start, isLiteral: true)
    }

    private mutating func variable(_ name: String) throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        advance()
        guard skip(":=") else { return try leaf(.variable(name), at: start) }
        let value = try node(.set)
        return try made(
            .expression(.assignment(name, try expression(value))), of: [value], at: start)
    }

    private mutating func word(_ word: String) throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        switch token.reserved {
        case .null, .nil: return try literal(.null)
        case .true, .yes: return try literal(.boolean(true))
        case .false, .no: return try literal(.boolean(false))
        case .selfObject:
            advance()
            return try leaf(.selfObject, at: start)
        case .anyKey:
            advance()
            return try leaf(.anyKey, at: start)
        case .subquery where following.kind == .sign("("): return try subquery()
        case .cast where following.kind == .sign("("): return try cast()
        case .ternary where following.kind == .sign("("): return try ternary()
        case .function where following.kind == .sign("("): return try namedFunction()
        case .fetch:
            throw error(
                .syntax,
                "FETCH is not part of a predicate here. Fetch first, and give the result to IN %@.")
        case .some:
            throw error(
                .syntax,
                "'\(word)' is a reserved word, and a value is expected. Write #\(word) for a property."
            )
        case nil: break
        }
        if following.kind == .sign("("), let function = FetchFunction(name: word) {
            advance()
            return try call(function, named: word, at: start)
        }
        advance()
        return try leaf(.keyPath([word]), at: start)
    }

    private mutating func list() throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        advance()
        let nodes = try elements()
        let expressions = try expressions(nodes)
        var values: [StoredValue] = []
        for (node, expression) in zip(nodes, expressions) where node.isLiteral {
            if let value = expression.constantValue { values.append(value) }
        }
        if values.count == nodes.count { return try leaf(.list(values), at: start) }
        return try made(.expression(.aggregate(expressions)), of: nodes, at: start)
    }

    /// Parses the elements of a list and the sign that ends it. Values are not counted as parts, so
    /// that a list may have more values than a predicate has parts.
    private mutating func elements() throws(PredicateFormatError) -> [FormatNode] {
        var nodes: [FormatNode] = []
        if skip("}") { return nodes }
        repeat {
            if nodes.count == PredicateSize.longestList {
                throw error(.tooComplex, PredicateSize.Excess.list.message)
            }
            let before = parts
            let element = try node(.or)
            if element.isLiteral { parts = before }
            nodes.append(element)
        } while skip(",")
        try expect("}", "The list has no end. Close it with }.")
        return nodes
    }

    /// Parses values separated by commas, and the sign that ends them.
    mutating func nodes(
        until end: FormatSign, _ problem: String
    ) throws(PredicateFormatError) -> [FormatNode] {
        var nodes: [FormatNode] = []
        if skip(end) { return nodes }
        repeat { nodes.append(try node(.or)) } while skip(",")
        try expect(end, problem)
        return nodes
    }

    func expressions(_ nodes: [FormatNode]) throws(PredicateFormatError) -> [FetchExpression] {
        var expressions: [FetchExpression] = []
        for node in nodes { expressions.append(try expression(node)) }
        return expressions
    }

    // MARK: - Arguments

    private mutating func argument(
        for placeholder: FormatPlaceholder, at start: Int
    ) throws(PredicateFormatError) -> FormatNode {
        if placeholder == .keyPath {
            return try keyPath(try pathArgument(at: start), after: nil, at: start)
        }
        let expression = try nextArgument(at: start).predicateExpression
        switch (placeholder, expression.form) {
        case (.value, _), (.keyPath, _), (.text, .constant(.text)),
            (.number, .constant(.double)), (.number, .constant(.integer)),
            (.number, .constant(.decimal)), (.whole, .constant(.integer)),
            (.whole, .constant(.boolean)):
            break
        case (.text(let letters), _):
            throw error(.argumentMismatch, "%\(letters) takes a text.", at: start)
        case (.number(let letters), _):
            throw error(.argumentMismatch, "%\(letters) takes a number.", at: start)
        case (.whole(let letters), _):
            throw error(.argumentMismatch, "%\(letters) takes a whole number.", at: start)
        }
        if let excess = expression.size.excess {
            throw error(.tooComplex, excess.message, at: start)
        }
        let cost = PredicateComplexity.depth(of: expression)
        if cost > 0 {
            return try made(.expression(expression), above: cost - 1, at: start)
        }
        return try leaf(expression, at: start, isLiteral: true)
    }

    /// Returns the argument of `%K`.
    mutating func pathArgument(at start: Int) throws(PredicateFormatError) -> String {
        guard case .constant(.text(let path)) = try nextArgument(at: start).predicateExpression.form
        else { throw error(.argumentMismatch, "%K takes the text of a key path.", at: start) }
        return path.string
    }

    /// Parses the steps of a key path that is an argument.
    mutating func keyPath(
        _ path: String, after base: FormatNode?, at start: Int
    ) throws(PredicateFormatError) -> FormatNode {
        var node = base
        let names = path.keyPathNames
        var index = 0
        while index < names.count {
            let name = names[index]
            index += 1
            if name.isEmpty || name.utf8.elementsEqual("@".utf8) || name.utf8.contains(0) {
                throw error(
                    .argumentMismatch, "The key path of %K has a step without a name.", at: start)
            }
            if name.hasPrefix("@") {
                let rest = Array(names[index...].prefix { !$0.hasPrefix("@") })
                index += rest.count
                let target = try orSelf(node, at: start)
                node = try collection(
                    String(name.dropFirst()), rest, of: target, at: start)
            } else if let target = node {
                node = try step(name, after: target)
            } else if ReservedWord(name) == .selfObject {
                node = try leaf(.selfObject, at: start)
            } else {
                node = try leaf(.keyPath([name]), at: start)
            }
        }
        return try orSelf(node, at: start)
    }

    private mutating func orSelf(
        _ node: FormatNode?, at start: Int
    ) throws(PredicateFormatError) -> FormatNode {
        if let node { return node }
        return try leaf(.selfObject, at: start)
    }
}
