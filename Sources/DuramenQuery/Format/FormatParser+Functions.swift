import DuramenModel
import Foundation

extension FormatParser {
    /// Parses the arguments of a function; the parser is at the parenthesis.
    mutating func call(
        _ function: FetchFunction, named name: String, at start: Int
    ) throws(PredicateFormatError) -> FormatNode {
        advance()
        let nodes = try nodes(until: ")", "The arguments have no end. Close them with ).")
        return try call(function, named: name, nodes, at: start)
    }

    private mutating func call(
        _ function: FetchFunction, named name: String, _ nodes: [FormatNode], at start: Int
    ) throws(PredicateFormatError) -> FormatNode {
        guard function.arity.contains(nodes.count) else {
            let count = function.arity.lowerBound
            throw error(
                .syntax,
                "\(name) takes \(function.arity.upperBound == .max ? "at least " : "")\(count) "
                    + "argument\(count == 1 ? "" : "s"), not \(nodes.count).", at: start)
        }
        return try made(
            .expression(.function(function, try expressions(nodes))), of: nodes, at: start)
    }

    /// Parses a function with colons, such as `add:to:(a, b)`.
    mutating func selector(_ name: String) throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        guard let function = FetchFunction(name: name), following.kind == .sign("(") else {
            throw error(
                .unknownName,
                "There is no function '\(name)'. \(Self.remedy(for: name))")
        }
        advance()
        return try call(function, named: name, at: start)
    }

    private static func remedy(for name: String) -> String {
        name.hasPrefix("isKindOfClass") || name.hasPrefix("isMemberOfClass")
            ? "Compare the entity: entity == 'Name'."
            : "Selectors of objects cannot be called; use a function such as uppercase:(name)."
    }

    /// Parses `FUNCTION(value, 'name', …)`: the function of that name, with the value as its first
    /// argument.
    mutating func namedFunction() throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        advance()
        advance()
        var nodes = try nodes(until: ")", "The arguments have no end. Close them with ).")
        guard nodes.count >= 2, case .expression(let name) = nodes[1].content,
            case .text(let text)? = name.constantValue
        else {
            throw error(
                .syntax,
                "FUNCTION takes a value, the name of a function as text, and its arguments.",
                at: start)
        }
        guard let function = FetchFunction(name: text.string) else {
            throw error(
                .unknownName,
                "There is no function '\(text.string)'. \(Self.remedy(for: text.string))",
                at: nodes[1].start)
        }
        nodes.remove(at: 1)
        return try call(function, named: text.string, nodes, at: start)
    }

    /// Parses `SUBQUERY(collection, $x, condition)`.
    mutating func subquery() throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        advance()
        advance()
        let collection = try node(.set)
        try expect(",", "SUBQUERY takes a collection, a variable and a condition.")
        guard case .variable(let variable) = token.kind else {
            throw error(.syntax, "SUBQUERY needs a variable here, such as $x.")
        }
        advance()
        try expect(",", "SUBQUERY takes a collection, a variable and a condition.")
        let condition = try node(.or)
        try expect(")", "SUBQUERY has no end. Close it with ).")
        return try made(
            .expression(
                .subquery(
                    try expression(collection), variable: variable, try predicate(condition))),
            of: [collection, condition], at: start)
    }

    /// Parses `TERNARY(condition, a, b)`.
    mutating func ternary() throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        advance()
        advance()
        let problem = "TERNARY takes a condition and two values."
        let condition = try node(.or)
        try expect(",", problem)
        let first = try node(.set)
        try expect(",", problem)
        let second = try node(.set)
        try expect(")", "TERNARY has no end. Close it with ).")
        return try made(
            .expression(
                .conditional(
                    try predicate(condition), try expression(first), try expression(second))),
            of: [condition, first, second], at: start)
    }

    /// Parses `CAST(value, 'NSDate')`; a literal value is converted at once.
    mutating func cast() throws(PredicateFormatError) -> FormatNode {
        let start = token.start
        advance()
        advance()
        let value = try node(.set)
        try expect(",", "CAST takes a value and the name of a type.")
        guard case .text(let name) = token.kind, let type = FetchCast(name: name) else {
            throw error(
                .unknownName,
                "CAST needs a type here: one of "
                    + FetchCast.allCases.map(\.rawValue).joined(separator: ", ")
                    + ", between quotes.")
        }
        advance()
        try expect(")", "CAST has no end. Close it with ).")
        if value.isLiteral, case .expression(let inner) = value.content,
            let constant = inner.constantValue
        {
            guard let result = type.value(of: constant) ?? Self.notANumber(constant, type) else {
                throw error(
                    .invalidLiteral,
                    "CAST cannot make an \(type.rawValue) of the value. Write \(type.forms).",
                    at: value.start)
            }
            return try leaf(.constant(result), at: start, isLiteral: true)
        }
        return try made(.expression(.cast(try expression(value), type)), of: [value], at: start)
    }

    /// Returns NaN, which the printer writes as a cast. Binding rejects it with a clear message.
    private static func notANumber(_ value: StoredValue, _ type: FetchCast) -> StoredValue? {
        guard type == .number, case .text(let text) = value, text == "nan" else { return nil }
        return .double(.nan)
    }
}
