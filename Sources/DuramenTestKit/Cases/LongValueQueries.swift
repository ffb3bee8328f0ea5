import DuramenModel
import DuramenQuery
import DuramenStore

/// Queries about texts and bytes that are longer than an index's keys, with and without an index.
enum LongValueQueries {
    static var families: [QueryFamily] { [equality, ranges, prefixes, order, acutes] }

    private static let texts = ["uniqueText", "indexedText", "plainText"]
    private static let bytes = ["uniqueBytes", "indexedBytes", "plainBytes"]
    private static let relations: [PredicateComparison.Operator] = [
        .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    /// Texts for each text attribute, and their bytes for each binary attribute.
    private static func values(_ texts: [StoredText]) -> [(name: String, values: [StoredValue])] {
        self.texts.map { ($0, texts.map { .text($0) }) }
            + bytes.map { ($0, texts.map { .binary(LongValues.data($0)) }) }
    }

    private static var equality: QueryFamily {
        QueryFamily(ofEntries: "Long texts and bytes are found by all of their bytes") { driver in
            let two = [LongValues.text(599, "a"), LongValues.text(599, "c")]
            let absent = [LongValues.text(599, "d"), LongValues.text(602), LongValues.text(3_000)]
            let predicates = values(two + LongValues.texts + absent).flatMap { name, values in
                values.dropFirst(2).map { FetchPredicate.keyPath(name, .equal, $0) } + [
                    .keyPath(name, .notEqual, values[0]),
                    .keyPath(name, .isIn, [values[0], values[1], values[0]]),
                    .keyPath(name, .isIn, Array(values.suffix(4)) + [.null]),
                    .not(.keyPath(name, .isIn, Array(values.prefix(2)))),
                ]
            }
            return predicates.map { driver.query("Entry", where: $0) }
        }
    }

    private static var ranges: QueryFamily {
        QueryFamily(ofEntries: "Ranges of long texts and bytes end at a last byte") { driver in
            let ends = [
                LongValues.text(512), LongValues.text(599, "b"), LongValues.text(600),
                LongValues.text(3_000, "a"),
            ]
            return values(["c", "xy"] + ends).flatMap { name, values in
                let bounds = FetchPredicate.and([
                    .keyPath(name, .greater, values[0]), .keyPath(name, .less, values[1]),
                ])
                let (ends, last) = (values.dropFirst(2), values[values.count - 1])
                var predicates = relations.map { FetchPredicate.keyPath(name, $0, last) }
                for end in ends {
                    predicates += relations.map { .and([bounds, .keyPath(name, $0, end)]) }
                }
                for (low, high) in zip(ends, ends.dropFirst()) {
                    predicates += [
                        .keyPath(name, .between, [low, high]),
                        .keyPath(name, .between, [high, low]),
                        .and([.keyPath(name, .greater, low), .keyPath(name, .less, high)]),
                    ]
                }
                return predicates.map { driver.query("Entry", where: $0) }
            }
        }
    }

    private static var prefixes: QueryFamily {
        QueryFamily(ofEntries: "A prefix longer than 511 bytes is compared to its last byte") {
            driver in
            let prefixes =
                [256, 500, 511, 512, 513, 600, 601, 602, 3_000]
                .map { LongValues.text($0) }
                + [
                    LongValues.text(599, "a"), LongValues.text(599, "\u{0}"),
                    LongValues.text(600, "e"),
                    LongValues.text(500, String(repeating: "a", count: 99)),
                    LongValues.text(3_000, "b"),
                    StoredText(String(repeating: "\u{E9}", count: 255) + "\u{E8}"),
                ]
            return texts.flatMap { name in
                prefixes.map { FetchPredicate.keyPath(name, .beginsWith, .text($0)) } + [
                    .keyPath(
                        name, .beginsWith, .text(StoredText(String(repeating: "X", count: 600))),
                        .caseInsensitive)
                ]
            }.map { driver.query("Entry", where: $0) }
        }
    }

    private static var order: QueryFamily {
        QueryFamily(ofEntries: "Long texts and bytes are ordered by all of their bytes") { driver in
            values(["c", "xy"]).flatMap { name, bounds in
                let inside = FetchPredicate.and([
                    .keyPath(name, .greater, bounds[0]), .keyPath(name, .less, bounds[1]),
                ])
                let windows: [(FetchPredicate?, Int, Int?)] = [
                    (nil, 0, 12), (inside, 0, nil), (inside, 0, 7), (inside, 9, 8),
                    (.keyPath(name, .greater, bounds[0]), 3, 11),
                    (.keyPath(name, .less, bounds[1]), 2, 9),
                ]
                return [true, false].flatMap { isAscending in
                    windows.map { predicate, offset, limit in
                        var query = driver.query(
                            "Entry", where: predicate,
                            sortedBy: [FetchSortDescriptor(name, ascending: isAscending)])
                        query.offset = offset
                        query.limit = limit
                        return query
                    }
                }
            }
        }
    }

    private static var acutes: QueryFamily {
        QueryFamily(ofEntries: "Both forms of é are two texts, unless marks are disregarded") {
            driver in
            let forms = LongValues.acutes.map { StoredValue.text($0) }
            let longForms = LongValues.acutes.map { LongValues.long(600, $0.string) }
            let some = forms + longForms + ["", "e", "f", "x"].map { .text($0) }
            return texts.flatMap { name -> [StoreQuery] in
                let compared = relations.flatMap { relation in
                    forms.map { FetchPredicate.keyPath(name, relation, $0) }
                }
                let found = [[], PredicateComparison.Options.diacriticInsensitive].flatMap {
                    options -> [FetchPredicate] in
                    (forms + longForms).flatMap { form -> [FetchPredicate] in
                        [
                            .keyPath(name, .equal, form, options),
                            .keyPath(name, .beginsWith, form, options),
                        ]
                    } + [
                        .keyPath(name, .isIn, [forms[0], longForms[1]], options),
                        .keyPath(name, .between, [forms[1], forms[0]], options),
                    ]
                }
                let sorted = FetchSortDescriptor.Comparison.allCases.flatMap { comparison in
                    [true, false].map {
                        driver.query(
                            "Entry", where: .keyPath(name, .isIn, some),
                            sortedBy: [
                                FetchSortDescriptor(name, ascending: $0, comparison: comparison)
                            ])
                    }
                }
                return (compared + found).map { driver.query("Entry", where: $0) } + sorted
            }
        }
    }
}
