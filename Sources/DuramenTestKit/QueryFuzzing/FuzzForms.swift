import DuramenQuery

/// All forms of questions and objects that ``FuzzCoverage`` counts.
public enum FuzzForms {
    /// The names, in the order of reports.
    public static let all: [String] =
        ["TRUEPREDICATE", "FALSEPREDICATE", "AND", "OR", "NOT"]
        + PredicateComparison.Operator.allCases.map { "operator \($0.rawValue)" }
        + options.map { "option [\($0.letter)]" }
        + PredicateQuantifier.allCases.flatMap {
            ["\($0.rawValue) value", "\($0.rawValue) object (…)"]
        }
        + [
            "property", "path", "path @count", "path length", "path entity", "SELF", "ANYKEY",
            "SUBQUERY", "SUBQUERY in SUBQUERY", "property of a SUBQUERY", "variable",
            "property of a variable", "assignment", "TERNARY", "list of values",
            "list of expressions",
        ]
        + [
            "null", "integer", "double", "decimal", "boolean", "text", "uri", "date", "bytes",
            "uuid", "object",
        ].map { "constant \($0)" }
        + FetchFunction.allCases.map { "function \($0.rawValue)" }
        + FetchCast.allCases.map { "cast \($0.rawValue)" }
        + FuzzQuestion.Answer.allCases.map { "query \($0.rawValue)" }
        + ["query some slots", "query without subentities"]
        + orders("sort")
        + ["window offset", "window limit", "window limit 0", "window offset and limit"]
        + ["query results", "results distinct", "results having", "results group by path"]
        + (1...2).map { "results group by \($0)" }
        + FetchFunction.allCases.filter {
            $0.isAggregate && $0 != .mode && $0 != .distinct
        }.map { "results column \($0.rawValue)" }
        + ["results column property", "results column calculated"]
        + orders("results sort")
        + [
            "null", "integer", "extreme integer", "double", "extreme double", "infinite double",
            "decimal", "extreme decimal", "boolean", "text", "empty text", "text with NUL",
            "text é of one scalar", "text é of two scalars", "date", "far date", "bytes",
            "empty bytes", "uuid",
        ].map { "value \($0)" }

    static let options: [(option: PredicateComparison.Options, letter: String)] = [
        (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
        (.localeSensitive, "l"), (.numeric, "s"),
    ]

    private static func orders(_ name: String) -> [String] {
        FetchSortDescriptor.Comparison.allCases.flatMap { comparison in
            ["ascending", "descending"].map { "\(name) \(comparison.rawValue), \($0)" }
        } + ["\(name) by path", "\(name) by several keys"]
    }
}
