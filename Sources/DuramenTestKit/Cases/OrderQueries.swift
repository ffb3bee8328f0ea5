import DuramenModel
import DuramenQuery

/// Queries with orders, windows and sub-entities.
enum OrderQueries {
    static var families: [QueryFamily] {
        [values, texts, paths, counts, objects, windows, entities, mixed]
    }

    private static var values: QueryFamily {
        QueryFamily("Every type is ordered with null first, and equal keys by ID") { data in
            ConformanceModel.sampleAttributes.flatMap { attribute in
                [true, false].map {
                    data.driver.query(
                        "Sample", sortedBy: [FetchSortDescriptor(attribute.name, ascending: $0)])
                }
            }
        }
    }

    private static var texts: QueryFamily {
        QueryFamily("Texts are ordered by bytes, or without regard to case and marks") { data in
            FetchSortDescriptor.Comparison.allCases.flatMap { comparison in
                [true, false].flatMap { isAscending in
                    ["text", "link"].map {
                        data.driver.query(
                            "Sample",
                            sortedBy: [
                                FetchSortDescriptor(
                                    $0, ascending: isAscending, comparison: comparison)
                            ])
                    }
                }
            }
        }
    }

    private static var paths: QueryFamily {
        QueryFamily("Orders over paths and of several keys are exact") { data in
            let orders: [[FetchSortDescriptor]] = [
                [.init("shelf.name"), .init("rank", ascending: false)],
                [.init("shelf.favourite.rank", ascending: false), .init("label")],
                [
                    .init("parent.parent.rank"), .init("shelf.height", ascending: false),
                    .init("code"),
                ],
                [.init("label"), .init("rank"), .init("code", ascending: false)],
                [.init("label", comparison: .caseAndDiacriticInsensitive), .init("rank")],
                [.init("label", comparison: .localized), .init("rank")],
                [.init("label", ascending: false, comparison: .localizedCaseInsensitive)],
                [.init("shelf.name", comparison: .localizedStandard), .init("rank")],
                [.init("rank"), .init("rank", ascending: false)],
            ]
            return orders.flatMap { order -> [StoreQuery] in
                let whole = data.driver.query("Item", sortedBy: order)
                var window = whole
                window.offset = 3
                window.limit = 9
                return [whole, window]
            }
        }
    }

    private static var counts: QueryFamily {
        QueryFamily("Orders by the number of objects of a to-many are exact") { data in
            let counts = [
                "tags.@count", "parts.@count", "favouredBy.@count", "hints.@count",
                "shelf.items.@count", "parent.parts.@count",
            ]
            let orders = counts.flatMap { count -> [[FetchSortDescriptor]] in
                [
                    [.init(count)], [.init(count, ascending: false)],
                    [.init("label"), .init(count, ascending: false), .init("rank")],
                    [.init(count), .init("SELF", ascending: false)],
                ]
            }
            return data.wholesAndWindows(of: "Item", orders)
                + data.wholesAndWindows(of: "Shelf", [[.init("items.@count", ascending: false)]])
                + data.wholesAndWindows(of: "Tag", [[.init("related.@count"), .init("name")]])
        }
    }

    private static var objects: QueryFamily {
        QueryFamily("Orders by the objects themselves are those of their IDs") { data in
            let orders: [[FetchSortDescriptor]] = [
                [.init("SELF")], [.init("SELF", ascending: false)],
                [.init("label"), .init("SELF", ascending: false)],
                [.init("rank", ascending: false), .init("SELF"), .init("label")],
                [.init("SELF", ascending: false), .init("label")],
                [.init("shelf.name"), .init("SELF", ascending: false)],
            ]
            let predicates: [FetchPredicate?] = [nil, .keyPath("rank", .greater, .integer(1))]
            return predicates.flatMap { data.wholesAndWindows(of: "Item", orders, where: $0) }
                + data.wholesAndWindows(of: "Novel", [[.init("SELF", ascending: false)]])
        }
    }

    private static var windows: QueryFamily {
        QueryFamily("Windows are cut after condition and order") { data in
            let predicates: [FetchPredicate?] = [
                nil, .keyPath("rank", .greater, .integer(1)),
                .keyPath("label", .equal, .text("SAME"), .caseInsensitive),
                .quantified(.any, keyPath: ["tags"], .keyPath("name", .like, .text("r*d"))),
            ]
            let orders: [[FetchSortDescriptor]] = [
                [], [.init("label")], [.init("rank", ascending: false)], [.init("shelf.name")],
            ]
            let windows: [(Int, Int?)] = [
                (0, 1), (0, 5), (2, 4), (20, 10), (5, nil), (100, nil), (0, 0), (3, 0), (0, 1_000),
                (1, Int.max),
            ]
            return predicates.flatMap { predicate in
                orders.flatMap { order in
                    windows.map { offset, limit in
                        var query = data.driver.query("Item", where: predicate, sortedBy: order)
                        query.offset = offset
                        query.limit = limit
                        return query
                    }
                }
            }
        }
    }

    private static var entities: QueryFamily {
        QueryFamily("Queries find the objects of their entity, with or without sub-entities") {
            data in
            ["Item", "Book", "Novel", "Disc", "Tag", "Strict"].flatMap { name in
                [true, false].flatMap { includesSubentities in
                    [nil, FetchPredicate.not(.constant(false))].map { predicate in
                        var query = data.driver.query(name, where: predicate)
                        query.includesSubentities = includesSubentities
                        return query
                    }
                }
            } + [
                data.driver.query("Book", where: .keyPath("edition", .greater, .integer(5))),
                data.driver.query("Novel", where: .keyPath("isbn", .equal, .null)),
                data.driver.query(
                    "Disc", where: .keyPath("minutes", .between, [.double(5), .double(20)])),
                data.driver.query("Novel", sortedBy: [.init("edition", ascending: false)]),
            ]
        }
    }

    private static var mixed: QueryFamily {
        QueryFamily("Conditions of all kinds work together, under one order and window") { data in
            let parts: [FetchPredicate] = [
                .keyPath("rank", .greaterOrEqual, .integer(1)),
                .keyPath("label", .notEqual, .text("same")),
                .keyPath("shelf.name", .equal, .text("LOW"), .caseInsensitive),
                .quantified(.none, keyPath: ["tags"], .keyPath("name", .equal, .text("blue"))),
                .comparison(
                    PredicateComparison(.count(keyPath: ["parts"]), .less, .constant(.integer(2)))),
                .keyPath("code", .endsWith, .text("1")),
            ]
            return (1..<64).map { bits in
                let chosen = parts.indices.filter { bits >> $0 & 1 != 0 }.map { parts[$0] }
                var query = data.driver.query(
                    "Item", where: bits % 5 == 0 ? .or(chosen) : .and(chosen),
                    sortedBy: bits % 2 == 0 ? [.init("label", ascending: bits % 4 == 0)] : [])
                if bits % 3 == 0 { query.limit = 3 }
                query.offset = bits % 4
                return query
            }
        }
    }
}

extension QueryData {
    /// Each order without a window, and with one.
    fileprivate func wholesAndWindows(
        of entity: String, _ orders: [[FetchSortDescriptor]], where predicate: FetchPredicate? = nil
    ) -> [StoreQuery] {
        orders.flatMap { order in
            let whole = driver.query(entity, where: predicate, sortedBy: order)
            var window = whole
            window.offset = 2
            window.limit = 7
            return [whole, window]
        }
    }
}
