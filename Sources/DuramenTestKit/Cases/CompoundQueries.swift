import DuramenModel
import DuramenQuery
import DuramenStore

/// Queries about two attributes that share an index, or are unique together.
enum CompoundQueries {
    static var families: [QueryFamily] { [conditions, orders] }

    private static let names = [("lead", "tail"), ("first", "second")]

    private static var conditions: QueryFamily {
        QueryFamily(ofEntries: "Two conditions that share an index are kept apart, null and long") {
            driver in
            names.flatMap { lead, tail in
                let pairs = LongValues.pairs + LongValues.nullPairs
                let equal = pairs.map { first, second in
                    FetchPredicate.and([
                        .keyPath(lead, .equal, LongValues.value(first)),
                        .keyPath(tail, .equal, LongValues.value(second)),
                    ])
                }
                return equal + behind(lead, tail)
            }.map { driver.query("Entry", where: $0) }
        }
    }

    /// Conditions on the second attribute when the first has a long value, a short one or none.
    private static func behind(_ lead: String, _ tail: String) -> [FetchPredicate] {
        let tails: [FetchPredicate] = [
            .keyPath(tail, .greater, "3"), .keyPath(tail, .lessOrEqual, "3"),
            .keyPath(tail, .between, ["2", "4"]), .keyPath(tail, .isIn, ["2", "6", "7"]),
            .keyPath(tail, .notEqual, "5"), .keyPath(tail, .beginsWith, LongValues.long(599)),
            .keyPath(tail, .greater, LongValues.long(599, "a")), .keyPath(tail, .notEqual, .null),
        ]
        let leads: [FetchPredicate] = [
            .keyPath(lead, .equal, LongValues.long(599, "a")),
            .keyPath(lead, .beginsWith, LongValues.long(599)),
            .keyPath(
                lead, .isIn, [LongValues.long(599, "b"), LongValues.long(3_000, "a"), .text("a")]),
            .keyPath(lead, .equal, "a"), .keyPath(lead, .equal, ""), .keyPath(lead, .equal, .null),
        ]
        return leads.flatMap { first in tails.map { .and([first, $0]) } }
    }

    private static var orders: QueryFamily {
        QueryFamily(ofEntries: "Orders of two keys that share an index, null and long") { driver in
            names.flatMap { lead, tail in
                let directions = [(true, true), (false, false), (true, false), (false, true)]
                let windows: [(FetchPredicate?, Int, Int?)] = [
                    (nil, 0, nil), (nil, 3, 9), (.keyPath(lead, .equal, .null), 0, nil),
                    (.keyPath(lead, .equal, LongValues.long(599, "a")), 0, 2),
                    (.keyPath(lead, .equal, LongValues.long(599, "a")), 3, 9),
                    (.keyPath(lead, .greater, "d"), 0, 20), (.keyPath(lead, .less, "b"), 0, 20),
                ]
                return directions.flatMap { first, second in
                    windows.map { predicate, offset, limit in
                        var query = driver.query(
                            "Entry", where: predicate,
                            sortedBy: [
                                FetchSortDescriptor(lead, ascending: first),
                                FetchSortDescriptor(tail, ascending: second),
                            ])
                        query.offset = offset
                        query.limit = limit
                        return query
                    }
                }
            }
        }
    }
}
