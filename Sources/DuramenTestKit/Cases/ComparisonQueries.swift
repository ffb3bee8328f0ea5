import DuramenModel
import DuramenQuery

/// Queries that compare values of every type, nulls and lists.
enum ComparisonQueries {
    static var families: [QueryFamily] { types + lists + [identity, logic, twoPaths] }

    private static let relations: [PredicateComparison.Operator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    /// For each type: every relation to the stored values, to some between, and to null.
    private static var types: [QueryFamily] {
        ConformanceModel.sampleAttributes.map { attribute in
            QueryFamily.predicates(
                "Comparisons of type \(attribute.type) are exact, at limits and with null",
                of: "Sample"
            ) { _ in
                let known = SampleValues.all[attribute.name] ?? []
                let values = known.prefix(9) + (between[attribute.name] ?? []) + [.null]
                return relations.flatMap { relation in
                    values.map { .keyPath(attribute.name, relation, $0) }
                }
            }
        }
    }

    /// Values of other number types, beyond limits, and between neighbours.
    private static let between: [String: [StoredValue]] = [
        "small": [
            .integer(.max), .double(0.5), .double(-0.0), .decimal(SampleValues.decimal("1")),
            .double(.infinity),
        ],
        "medium": [.integer(.min), .double(2_147_483_647.5), .decimal(SampleValues.decimal("-1"))],
        "large": [
            .double(9_007_199_254_740_992), .double(9_223_372_036_854_775_808), .double(-.infinity),
            .double(-9_223_372_036_854_775_808),
            .decimal(SampleValues.decimal("9223372036854775807.5")),
        ],
        "exact": [.integer(1), .double(1.5), .decimal(SampleValues.decimal("12.340"))],
        "real": [
            .integer(0), .double(-0.0), .integer(9_007_199_254_740_993), .integer(.max),
            .decimal(SampleValues.decimal("0.1")),
        ],
        "single": [.double(0.1), .double(-0.0), .integer(0), .double(1e300)],
        "text": [.text("B"), .text("\u{10FFFF}"), .text("ab\u{0}d")],
        "moment": [SampleValues.date(-0.0), SampleValues.date(0.00075)],
        "link": [.text("urn:isbn:0"), .uri("")],
    ]

    private static var lists: [QueryFamily] {
        [
            .predicates("Being in a list is exact, with nulls and repeats", of: "Sample") { _ in
                ConformanceModel.sampleAttributes.flatMap { attribute -> [FetchPredicate] in
                    let values = SampleValues.all[attribute.name] ?? []
                    return [
                        .keyPath(attribute.name, .isIn, Array(values.prefix(3))),
                        .keyPath(attribute.name, .isIn, [.null]),
                        .keyPath(attribute.name, .isIn, [.null, values[0], values[0]]),
                        .keyPath(attribute.name, .isIn, [StoredValue]()),
                    ]
                }
            },
            .predicates("A long list is exact", of: "Sample") { _ in
                [
                    .keyPath("small", .isIn, (0..<1_500).map { StoredValue.integer($0 * 2) }),
                    .keyPath(
                        "text", .isIn,
                        (0..<700).map { StoredValue.text(StoredText("\($0)")) } + [
                            .text("a"), .null,
                        ]),
                ]
            },
            .predicates("Being between is exact, both ends included", of: "Sample") { _ in
                ConformanceModel.sampleAttributes.flatMap { attribute -> [FetchPredicate] in
                    let values = SampleValues.all[attribute.name] ?? []
                    let sorted = values.sorted { StoredValue.order($0, $1) ?? 0 < 0 }
                    let (low, high) = (sorted[0], sorted[sorted.count - 1])
                    return [
                        .keyPath(attribute.name, .between, [low, high]),
                        .keyPath(attribute.name, .between, [high, low]),
                        .keyPath(attribute.name, .between, [sorted[1], sorted[1]]),
                        .keyPath(attribute.name, .between, [.null, high]),
                        .keyPath(attribute.name, .between, [low, .null]),
                    ]
                }
            },
        ]
    }

    private static var identity: QueryFamily {
        .predicates("The object itself is compared by its ID", of: "Item") { data in
            let ids = [data.items[0], data.items[7], data.missing, data.tags[0]]
            let own = FetchExpression.selfObject
            return ids.flatMap { id -> [FetchPredicate] in
                [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual].map {
                    .comparison(PredicateComparison(own, $0, .constant(.objectID(id))))
                }
            } + [
                .comparison(
                    PredicateComparison(own, .isIn, .list(ids.map { .objectID($0) } + [.null]))),
                .comparison(PredicateComparison(own, .equal, .constant(.null))),
                .comparison(PredicateComparison(own, .equal, .keyPath(["parent"]))),
            ]
        }
    }

    private static var logic: QueryFamily {
        .predicates("And, or and not follow the law of null", of: "Item") { _ in
            let rank = FetchPredicate.keyPath("rank", .greater, .integer(2))
            let label = FetchPredicate.keyPath("label", .equal, .text("same"))
            let code = FetchPredicate.keyPath("code", .equal, .null)
            return [
                .constant(true), .constant(false), .and([]), .or([]), .and([rank, label]),
                .or([rank, label]), .and([rank, .not(label), code]), .or([.not(rank), .not(code)]),
                .not(.and([.not(rank), .not(label)])), .not(.or([rank, .and([label, code])])),
                .and([.or([rank, code]), .or([label, .not(code)])]), .not(.not(.not(rank))),
                .and([.constant(true), rank]), .or([.constant(false), .constant(true)]),
            ]
        }
    }

    private static var twoPaths: QueryFamily {
        .predicates("Two values of one object are compared with each other", of: "Sample") { _ in
            relations.flatMap { relation -> [FetchPredicate] in
                [
                    ("small", "medium"), ("medium", "large"), ("small", "real"), ("real", "single"),
                    ("large", "real"), ("text", "text"),
                ].map { left, right in
                    .comparison(
                        PredicateComparison(.keyPath([left]), relation, .keyPath([right])))
                }
            } + [
                .comparison(
                    PredicateComparison(.constant(.integer(1)), .less, .keyPath(["small"]))),
                .comparison(
                    PredicateComparison(.constant(.integer(1)), .equal, .constant(.integer(1)))),
                .comparison(
                    PredicateComparison(.constant(.null), .notEqual, .constant(.integer(1)))),
            ]
        }
    }
}
