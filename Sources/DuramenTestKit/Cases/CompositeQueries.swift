import DuramenModel
import DuramenQuery
import DuramenStore

/// Queries that reach into composites.
enum CompositeQueries {
    static var families: [QueryFamily] { [conditions, nils, orders] }

    private static var conditions: QueryFamily {
        QueryFamily(ofSites: "Conditions on elements of composites are exact") { driver in
            let predicates: [FetchPredicate] = [
                .keyPath("position.latitude", .greaterOrEqual, .double(3)),
                .keyPath("position.latitude", .equal, .double(48.2)),
                .keyPath("position.latitude", .between, [.double(-1), .double(2)]),
                .keyPath("position.latitude", .isIn, [.double(5), .double(48.2), .null]),
                .keyPath("position.grid.zone", .notEqual, .integer(33)),
                .keyPath("position.grid.square", .equal, .text("U"), .caseInsensitive),
                .keyPath("origin.name", .contains, .text("tage")),
                .keyPath("origin.name", .beginsWith, .text("n ")),
                .keyPath("origin.price", .less, .decimal(SampleValues.decimal("12.35"))),
                .keyPath("origin.found", .greater, SampleValues.date(0)),
                .keyPath("next.position.latitude", .less, .double(0)),
                .keyPath("next.next.position.grid.zone", .equal, .null),
                .keyPath("position_latitude", .equal, .text("no element")),
                .comparison(
                    PredicateComparison(
                        .keyPath(["position", "latitude"]), .greater,
                        .keyPath(["next", "position", "latitude"]))),
                .comparison(
                    PredicateComparison(
                        .keyPath(["position.longitude"]), .equal,
                        .keyPath(["position", "height"]))),
                .and([
                    .keyPath("origin.name", .equal, .text("n 1")),
                    .keyPath("number", .greater, .integer(2)),
                ]),
            ]
            return predicates.flatMap { [$0, .not($0)] }.map { driver.query("Site", where: $0) }
        }
    }

    private static var nils: QueryFamily {
        QueryFamily(ofSites: "A composite is nil when no element has a value") { driver in
            let paths = [
                "position", "position.grid", "origin", "nothing", "next.position",
                "next.next.position.grid", "position.grid.zone", "labels", "next.origin.marks",
            ]
            let predicates = paths.flatMap { path in
                [FetchPredicate.keyPath(path, .equal, .null), .keyPath(path, .notEqual, .null)]
            }
            let turned = FetchPredicate.comparison(
                PredicateComparison(.constant(.null), .notEqual, .keyPath(["position"])))
            return (predicates + [turned, .and([predicates[0], predicates[5]])])
                .flatMap { [$0, .not($0)] }.map { driver.query("Site", where: $0) }
        }
    }

    private static var orders: QueryFamily {
        QueryFamily(ofSites: "Orders by elements of composites are exact") { driver in
            let orders: [[FetchSortDescriptor]] = [
                [.init("position.latitude")], [.init("position.latitude", ascending: false)],
                [.init("position.grid.square", comparison: .caseInsensitive), .init("number")],
                [.init("origin.name"), .init("number")],
                [.init("next.position.latitude"), .init("origin.price", ascending: false)],
                [.init("origin.found", ascending: false)],
            ]
            return orders.flatMap { order -> [StoreQuery] in
                let whole = driver.query("Site", sortedBy: order)
                var window = driver.query(
                    "Site", where: .keyPath("position.latitude", .greater, .double(1)),
                    sortedBy: order)
                window.offset = 2
                window.limit = 11
                return [whole, window]
            }
        }
    }
}
