import DuramenQuery
import Foundation

/// A predicate for people, and for other programs.
enum PredicateReport {
    private struct Report: Encodable {
        let canonical: String
        let tree: PredicateTree
        let variables: [String]
    }

    /// The tree, and below it the canonical form.
    static func lines(_ predicate: FetchPredicate) -> [String] {
        PredicateTree(predicate).lines + ["", predicate.description]
    }

    /// The same with the names of the variables that have no value.
    static func json(_ predicate: FetchPredicate) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let report = Report(
            canonical: predicate.description, tree: PredicateTree(predicate),
            variables: predicate.substitutionVariables)
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
