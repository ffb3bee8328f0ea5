import DuramenQuery
import Foundation

/// A predicate as readable text and as JSON.
enum PredicateReport {
    private struct Report: Encodable {
        let canonical: String
        let tree: PredicateTree
        let variables: [String]
    }

    /// Returns the tree, and below it the canonical form.
    static func lines(_ predicate: FetchPredicate) -> [String] {
        PredicateTree(predicate).lines + ["", predicate.description]
    }

    /// Returns the tree, the canonical form, and the names of variables without values.
    static func json(_ predicate: FetchPredicate) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let report = Report(
            canonical: predicate.description, tree: PredicateTree(predicate),
            variables: predicate.substitutionVariables)
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
