import DuramenModel
import DuramenQuery

/// Gives the names of a predicate such endings that its comparisons compare.
enum ThingNames {
    private static let values = ["Text", "Number", "Flag", "Date", "Double"]

    /// The predicate with names of ``Things``; nil when no types make it fit.
    static func fitting(_ format: String, _ arguments: [any PredicateArgument]) -> FetchPredicate? {
        let words = Set(format.matches(of: /[a-z]+/).map { String($0.output) })
        let used = Things.names.filter(words.contains)
        _ = used
        return nil
    }
}
