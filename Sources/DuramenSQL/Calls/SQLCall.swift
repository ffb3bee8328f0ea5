import DuramenModel
package import DuramenQuery
import Foundation

/// A part of a predicate that the evaluator computes for an engine, called as an SQL function.
///
/// In a statement it is the first argument of the function, as text with the kinds of the other
/// arguments: `f sqrt|d`, `c NSDate|n`, `b beginsWith 3 |tt`, `l |it`, `q |i`.
package struct SQLCall: Sendable {
    /// The operation on the arguments.
    package enum Action: Sendable {
        /// Calls a function.
        case function(FetchFunction)
        /// Converts a value to another type.
        case cast(FetchCast)
        /// Joins the arguments to a list.
        case list
        /// Boxes the argument.
        case box
        /// Compares the arguments, giving 1 or 0.
        case comparison(PreparedComparison)
    }

    /// The operation on the arguments.
    package let action: Action
    /// The kinds of the arguments.
    package let kinds: [SQLKind]
    /// The form of the result.
    package let result: SQLKind?

    /// Parses the text in a statement; nil if it is not a call.
    package init?(_ text: String) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let words = parts[0].split(separator: " ").map(String.init)
        kinds = parts[1].utf8.compactMap { SQLKind(rawValue: $0) }
        result = parts[2].utf8.first.flatMap { SQLKind(rawValue: $0) }
        switch words.first {
        case "f":
            guard words.count == 2, let function = FetchFunction(rawValue: words[1]) else {
                return nil
            }
            action = .function(function)
        case "c":
            guard words.count == 2, let type = FetchCast(rawValue: words[1]) else { return nil }
            action = .cast(type)
        case "l": action = .list
        case "q": action = .box
        case "b":
            guard words.count >= 3,
                let relation = PredicateComparison.Operator(rawValue: words[1]),
                let options = UInt8(words[2])
            else { return nil }
            action = .comparison(
                PreparedComparison(
                    relation, PredicateComparison.Options(rawValue: options),
                    quantifier: words.count > 3 ? PredicateQuantifier(rawValue: words[3]) : nil))
        default: return nil
        }
    }

    static func text(
        _ action: String, _ arguments: [SQLValue], _ result: SQLKind?
    ) -> String {
        func letter(_ kind: SQLKind) -> Character { Character(Unicode.Scalar(kind.rawValue)) }
        let kinds = String(arguments.map { letter($0.kind) })
        return "\(action)|\(kinds)|\(result.map { String(letter($0)) } ?? "")"
    }

    /// Returns the result of the call.
    package func run(_ arguments: [QueryValue]) -> QueryValue {
        switch action {
        case .function(let function): return function.call(arguments)
        case .cast(let type):
            return .value(arguments.first.flatMap { type.value(of: $0.scalar) } ?? .null)
        case .list: return .collection(arguments)
        case .box: return arguments.first ?? .null
        case .comparison(let comparison):
            guard arguments.count == 2 else { return .null }
            return .value(.boolean(comparison.holds(arguments[0], arguments[1])))
        }
    }
}
