import DuramenModel
import Foundation

extension PredicatePrinter {
    /// Returns the parts of an expression in order, in parentheses if its precedence is lower than
    /// `level`.
    func parts(of expression: FetchExpression, atLeast level: OperatorLevel) -> [Work] {
        let (own, parts) = parts(of: expression)
        return own < level ? [.text("(")] + parts + [.text(")")] : parts
    }

    private func parts(of expression: FetchExpression) -> (OperatorLevel, [Work]) {
        switch expression.form {
        case .constant(let value):
            return (value.isNegative ? .unary : .postfix, [.text(text(value))])
        case .list(let values): return (.postfix, [.text(text(values))])
        case .aggregate(let parts): return (.postfix, aggregate(parts))
        case .keyPath(let names): return (.postfix, [.text(names.isEmpty ? "SELF" : name(names))])
        case .selfObject: return (.postfix, [.text("SELF")])
        case .anyKey: return (.postfix, [.text("ANYKEY")])
        case .count(let names): return (.postfix, [.text(name(names) + ".@count")])
        case .variable(let variable): return (.postfix, [.text("$" + variable)])
        case .property(let base, let names):
            return (.postfix, self.base(base) + [.text("." + name(names))])
        case .function(let function, let arguments): return call(function, arguments)
        case .subquery(let collection, let variable, let predicate):
            return (
                .postfix,
                [
                    .text("SUBQUERY("), .expression(collection, atLeast: .assignment),
                    .text(", $\(variable), "),
                    .turn(with(secrets?.binding(variable, to: collection))),
                    .predicate(predicate, isTight: false), .turn(self), .text(")"),
                ]
            )
        case .conditional(let predicate, let first, let second):
            return (
                .postfix,
                [.text("TERNARY("), .predicate(predicate, isTight: false), .text(", ")]
                    + list([first, second]) + [.text(")")]
            )
        case .cast(let value, let type):
            return (
                .postfix,
                [.text("CAST(")] + apart(value) + [.text(", \"\(type.rawValue)\")")]
            )
        case .assignment(let variable, let value):
            return (
                .assignment,
                [.text("$\(variable) := "), .expression(value, atLeast: .assignment)]
            )
        }
    }

    // MARK: - Functions

    private func call(
        _ function: FetchFunction, _ arguments: [FetchExpression]
    ) -> (OperatorLevel, [Work]) {
        if let (sign, level) = function.infix, arguments.count == 2 {
            return (
                level,
                [
                    .expression(arguments[0], atLeast: level), .text(" \(sign) "),
                    .expression(arguments[1], atLeast: level.next),
                ]
            )
        }
        switch (function, arguments.count) {
        case (.negate, 1): return (.unary, [.text("-")] + sign(arguments[0]))
        case (.onesComplement, 1):
            return (.unary, [.text("~"), .expression(arguments[0], atLeast: .unary)])
        case (.element, 2):
            return (
                .postfix,
                base(arguments[0]) + [
                    .text("["), .expression(arguments[1], atLeast: .assignment), .text("]"),
                ]
            )
        case (.first, 1): return (.postfix, base(arguments[0]) + [.text("[FIRST]")])
        case (.last, 1): return (.postfix, base(arguments[0]) + [.text("[LAST]")])
        case (_, 1):
            guard let step = function.collectionOperator, arguments[0].isPath else { break }
            if function == .count, case .keyPath = arguments[0].form { break }
            return (
                .postfix,
                [.expression(arguments[0], atLeast: .postfix), .text("." + step)]
            )
        default: break
        }
        return (.postfix, [.text(function.rawValue + "(")] + list(arguments) + [.text(")")])
    }

    private func list(_ expressions: some Sequence<FetchExpression>) -> [Work] {
        var work: [Work] = []
        for expression in expressions {
            if !work.isEmpty { work.append(.text(", ")) }
            work.append(.expression(expression, atLeast: .assignment))
        }
        return work
    }

    /// Returns the operand of a step or index. A path needs parentheses, or the step would extend
    /// it.
    private func base(_ expression: FetchExpression) -> [Work] {
        switch expression.form {
        case .variable, .subquery, .list, .conditional, .cast:
            [.expression(expression, atLeast: .postfix)]
        default:
            [.text("("), .expression(expression, atLeast: .assignment), .text(")")]
        }
    }

    // Parentheses separate a minus from a number, since otherwise it would be part of the number.
    private func sign(_ expression: FetchExpression) -> [Work] {
        if case .constant = expression.form { return apart(expression) }
        return [.expression(expression, atLeast: .unary)]
    }

    private func apart(_ expression: FetchExpression) -> [Work] {
        switch expression.form {
        case .constant:
            [.text("("), .expression(expression, atLeast: .assignment), .text(")")]
        default: [.expression(expression, atLeast: .assignment)]
        }
    }

    private func aggregate(_ parts: [FetchExpression]) -> [Work] {
        // A list with only constants would be parsed as a list of values.
        guard let first = parts.first else { return [.text("{}")] }
        let rest = list(parts.dropFirst())
        return [.text("{")] + apart(first) + (rest.isEmpty ? [] : [.text(", ")]) + rest
            + [.text("}")]
    }

    // MARK: - Values

    private func text(_ values: [StoredValue]) -> String {
        if isRedacted, values.count > 2, !values.contains(.null) { return "{? * \(values.count)}" }
        return "{" + values.map(text).joined(separator: ", ") + "}"
    }

    // Null is printed even when values are redacted, because the statement depends on it.
    private func text(_ value: StoredValue) -> String {
        if value.isNull { return "nil" }
        if isRedacted { return "?" }
        switch value {
        case .null: return "nil"
        case .integer(let number): return String(number)
        case .double(let number): return text(number)
        case .decimal(let number): return cast(number.description, .decimal)
        case .boolean(let flag): return flag ? "TRUE" : "FALSE"
        case .text(let text): return FormatText.quoted(text.string)
        case .uri(let text): return cast(text.string, .uri)
        case .date(let date):
            return
                "CAST(\(text(date.timeIntervalSinceReferenceDate)), \"\(FetchCast.date.rawValue)\")"
        case .binary(let data): return cast(data.base64EncodedString(), .binary)
        case .uuid(let uuid): return cast(uuid.uuidString, .uuid)
        case .objectID(let id): return cast(id.uriRepresentation.absoluteString, .objectID)
        }
    }

    private func text(_ number: Double) -> String {
        if number.isNaN { return cast("nan", .number) }
        // Negative zero is zero, and format strings cannot distinguish them.
        return number.isInfinite ? (number < 0 ? "-1e999" : "1e999") : String(number + 0.0)
    }

    private func cast(_ text: String, _ type: FetchCast) -> String {
        "CAST(\(FormatText.quoted(text)), \"\(type.rawValue)\")"
    }
}

extension StoredValue {
    fileprivate var isNegative: Bool {
        switch self {
        case .integer(let number): number < 0
        case .double(let number): number < 0
        default: false
        }
    }
}

extension FetchExpression {
    /// Whether a step such as `@sum` may follow without parentheses.
    fileprivate var isPath: Bool {
        switch form {
        case .keyPath, .property, .variable, .subquery, .selfObject: true
        default: false
        }
    }
}
