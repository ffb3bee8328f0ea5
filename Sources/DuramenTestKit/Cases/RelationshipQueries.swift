import DuramenModel
import DuramenQuery
import DuramenStore

/// Queries over relationships: to-ones, paths, quantifiers, counts, dangling references.
enum RelationshipQueries {
    static var families: [QueryFamily] { toOnes + toManys }

    private static var toOnes: [QueryFamily] {
        [
            .predicates(
                "A to-one is compared by the ID it leads to, also where nothing is", of: "Item"
            ) {
                data in
                (data.shelves.prefix(5).map { StoredValue.objectID($0) } + [.null]).flatMap {
                    [.keyPath("shelf", .equal, $0), .keyPath("shelf", .notEqual, $0)]
                } + [
                    .keyPath(
                        "shelf", .isIn,
                        [.objectID(data.shelves[0]), .objectID(data.shelves[4]), .null]),
                    .keyPath("parent", .equal, .objectID(data.missing)),
                ]
            },
            .predicates("A to-one to several entities is compared by entity too", of: "Shelf") {
                data in
                let wrong = ManagedObjectID(
                    store: data.driver.store.handle, entity: data.driver.entity("Disc").handle,
                    key: data.items[0].key)
                return [data.items[0], data.items[23], data.missing, wrong].flatMap {
                    [
                        FetchPredicate.keyPath("favourite", .equal, .objectID($0)),
                        .keyPath("favourite", .notEqual, .objectID($0)),
                    ]
                } + [.keyPath("favourite", .equal, .null)]
            },
            .predicates("A path over to-ones is null where a step leads nowhere", of: "Item") {
                data in
                [
                    .keyPath("shelf.name", .equal, .text("high")),
                    .keyPath("shelf.name", .equal, .null),
                    .keyPath("shelf.name", .notEqual, .text("high")),
                    .keyPath("shelf.name", .equal, .text("gone")),
                    .keyPath("shelf.height", .less, .double(1)),
                    .keyPath("shelf.name", .contains, .text("\u{301}")),
                    .keyPath("shelf.name", .beginsWith, .text("")),
                    .keyPath("shelf.name", .isIn, [.text("Low"), .null]),
                    .keyPath("parent.parent.rank", .greater, .integer(1)),
                    .keyPath("parent.parent.rank", .equal, .null),
                    .keyPath("parent.shelf.name", .notEqual, .text("high")),
                    .keyPath("shelf.favourite.label", .equal, .text("same")),
                    .keyPath("shelf.favourite.rank", .equal, .null),
                    .keyPath("shelf.favourite", .equal, .objectID(data.missing)),
                    .keyPath("shelf.favourite", .equal, .null),
                    .keyPath("parent.shelf", .notEqual, .objectID(data.shelves[0])),
                    .keyPath("parent.parent.parent.parent.rank", .equal, .null),
                    .comparison(
                        PredicateComparison(
                            .keyPath(["rank"]), .less, .keyPath(["parent", "rank"]))),
                    .comparison(
                        PredicateComparison(
                            .keyPath(["shelf"]), .equal, .keyPath(["parent", "shelf"]))),
                ]
            },
        ]
    }

    private static var toManys: [QueryFamily] {
        [
            .predicates("Any, all and none of a many-to-many are exact", of: "Item") { _ in
                quantified(
                    ["tags"],
                    [
                        .keyPath("name", .equal, .text("red")),
                        .keyPath("name", .notEqual, .text("red")),
                        .keyPath("name", .beginsWith, .text("r")), .keyPath("name", .equal, .null),
                        .constant(true), .constant(false),
                        .and([
                            .keyPath("name", .greater, .text("a")),
                            .keyPath("name", .less, .text("c")),
                        ]),
                    ])
            },
            .predicates("Any, all and none of a one-to-many are exact", of: "Shelf") { _ in
                quantified(
                    ["items"],
                    [
                        .keyPath("rank", .greater, .integer(3)), .keyPath("rank", .equal, .null),
                        .keyPath("label", .contains, .text("a")), .constant(true),
                        .keyPath("parent.rank", .lessOrEqual, .integer(2)),
                    ])
            },
            .predicates("Quantifiers over a path and within each other are exact", of: "Item") {
                _ in
                quantified(
                    ["shelf", "items"],
                    [
                        .keyPath("rank", .equal, .integer(5)), .keyPath("code", .equal, .null),
                    ]) + quantified(["parent", "tags"], [.keyPath("name", .equal, .text("blue"))])
                    + quantified(
                        ["parts"],
                        quantified(["tags"], [.keyPath("name", .equal, .text("Red"))])
                            + [.keyPath("shelf.name", .equal, .text("high"))])
                    + quantified(["favouredBy"], [.keyPath("height", .less, .double(0))])
            },
            .predicates("Counts of to-manys are exact", of: "Item") { _ in
                [["tags"], ["parts"], ["favouredBy"], ["shelf", "items"], ["parent", "parts"]]
                    .flatMap { path -> [FetchPredicate] in
                        [
                            (PredicateComparison.Operator.equal, 0), (.greater, 0), (.notEqual, 1),
                            (.lessOrEqual, 2), (.greaterOrEqual, 3),
                        ].map { relation, number in
                            .comparison(
                                PredicateComparison(
                                    .count(keyPath: path), relation,
                                    .constant(.integer(Int64(number)))))
                        }
                    }
            },
            .predicates("A to-many is nil where it leads to no object", of: "Item") { _ in
                [
                    ["tags"], ["parts"], ["favouredBy"], ["hints"], ["shelf", "items"],
                    ["parent", "tags"],
                ].flatMap { path -> [FetchPredicate] in
                    let isNil = FetchPredicate.comparison(
                        PredicateComparison(.keyPath(path), .equal, .constant(.null)))
                    let isNotNil = FetchPredicate.comparison(
                        PredicateComparison(.constant(.null), .notEqual, .keyPath(path)))
                    return [
                        isNil, isNotNil, .not(isNil),
                        .and([isNotNil, .keyPath("rank", .greater, .integer(1))]),
                    ]
                }
            },
            .predicates("Membership in a to-many is exact", of: "Item") { data in
                (data.tags + [data.missing]).map {
                    .keyPath("tags", .contains, .objectID($0))
                } + data.items.prefix(6).map { .keyPath("parts", .contains, .objectID($0)) }
                    + [.keyPath("shelf.items", .contains, .objectID(data.items[3]))]
            },
            .predicates("A relationship of tags to themselves is exact both ways", of: "Tag") {
                data in
                quantified(["items"], [.keyPath("rank", .greater, .integer(4))])
                    + quantified(["related"], [.constant(true)])
                    + data.items.prefix(8).map { .keyPath("items", .contains, .objectID($0)) }
            },
        ]
    }

    private static func quantified(
        _ path: [String], _ parts: [FetchPredicate]
    ) -> [FetchPredicate] {
        PredicateQuantifier.allCases.flatMap { quantifier in
            parts.map { .quantified(quantifier, keyPath: path, $0) }
        }
    }
}
