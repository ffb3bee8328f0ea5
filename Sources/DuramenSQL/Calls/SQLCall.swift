import DuramenModel
package import DuramenQuery
import Foundation

/// A part of a predicate that the evaluator answers for an engine, by a function of the engine's.
///
/// In a statement it is a text, the first argument of the function, with the kinds of the others
/// behind it: `f sqrt|d`, `c NSDate|n`, `b beginsWith 3 |tt`, `l |it`, `q |i`.
package struct SQLCall: Sendable {
    /// What is done with the arguments.
    package enum Action: Sendable {
        /// A function gives a value.
        case function(FetchFunction)
        /// A value becomes one of another type.
        case cast(FetchCast)
        /// The arguments become a list.
        case list
        /// The argument itself, boxed.
        case box
        /// A comparison gives 1 or 0.
        case comparison(PreparedComparison)
    }

    /// What is done.
    package let action: Action
    /// The kinds of the arguments.
    package let kinds: [SQLKind]
    /// How the result is handed back.
    package let result: SQLKind?

    /// Reads the text in a statement; nil when it is none of ours.
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

    /// What the call gives.
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
