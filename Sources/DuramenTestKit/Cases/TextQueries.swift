import DuramenModel
import DuramenQuery

/// Queries about texts: by bytes, and without regard to case and marks.
enum TextQueries {
    static var families: [QueryFamily] {
        searches + [folded]
    }

    private static let parts: [StoredText] = [
        "", "a", "A", "ab", "\u{0}", "b\u{0}", "\u{0}cd", "\u{E9}", "e", "\u{301}", "%", "_", "*",
        "?",
        "\\", "'", "\"", "]", "s", "ss", "ß", "I", "\u{1F600}", "naive", "NAÏVE", "ab\u{0}cd",
        "\u{130}",
    ]

    private static let patterns: [StoredText] = [
        "", "*", "?", "??", "a*", "*b", "*a*", "a?b", "a\\*b", "a\\?b", "a\\\\b", "*\u{0}*",
        "ab\u{0}*",
        "\\", "**a**", "*\u{E9}", "?\u{301}", "[a]", "a%b", "a_b", "*e", "A*", "na?ve", "NA*",
    ]

    private static let optionSets: [PredicateComparison.Options] = [
        .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        .localeSensitive, [.localeSensitive, .numeric],
        [.localeSensitive, .caseInsensitive, .diacriticInsensitive],
    ]

    private static var searches: [QueryFamily] {
        let operators: [(PredicateComparison.Operator, String)] = [
            (.contains, "Containing a text"), (.beginsWith, "Beginning with a text"),
            (.endsWith, "Ending with a text"),
        ]
        return operators.map { relation, name in
            .predicates("\(name) is exact by bytes, NUL and wildcards included", of: "Sample") {
                _ in
                parts.map { .keyPath("text", relation, .text($0)) }
                    + [.keyPath("text", relation, .null), .keyPath("link", relation, .text("e"))]
            }
        } + [
            .predicates("Patterns match whole texts, scalar by scalar", of: "Sample") { _ in
                patterns.map { .keyPath("text", .like, .text($0)) } + [
                    .keyPath("text", .like, .null)
                ]
            }
        ]
    }

    private static var folded: QueryFamily {
        .predicates("Options hold in every comparison of texts", of: "Sample") {
            _ in
            optionSets.flatMap { options -> [FetchPredicate] in
                let relations: [PredicateComparison.Operator] = [
                    .equal, .notEqual, .less, .greaterOrEqual, .contains, .beginsWith, .endsWith,
                ]
                let compared = relations.flatMap { relation in
                    ["", "a", "\u{C9}", "E\u{301}", "naïve", "SS", "i", "\u{0}"].map {
                        FetchPredicate.keyPath("text", relation, .text(StoredText($0)), options)
                    }
                }
                let matched = patterns.map {
                    FetchPredicate.keyPath("text", .like, .text($0), options)
                }
                return compared + matched + [
                    .keyPath("text", .isIn, [.text("NAIVE"), .text("É"), .null], options),
                    .keyPath("text", .between, [.text("A"), .text("E")], options),
                    .keyPath("text", .equal, .null, options),
                ]
            }
        }
    }
}
