import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Elements of composites and encoded values: for a store, attributes like all others.
enum CompositeCases {
    /// Law 2.
    static var fidelity: [ConformanceCase] { [elements, encoded] }

    private static var elements: ConformanceCase {
        ConformanceCase(
            .atomicity, "Elements of composites are saved and read unchanged, each by itself"
        ) { driver in
            var draft = driver.draft()
            let sites = sites
            let ids = try sites.map { try draft.insert("Site", $0) }
            try driver.commit(draft)
            let last = sites.count - 1
            try driver.commit { draft in
                try draft.update(ids[last], ["position.latitude": .double(-1)])
                try draft.update(ids[last - 1], ["position.grid.zone": .null])
            }
            var expected = sites
            expected[last]["position.latitude"] = .double(-1)
            expected[last - 1]["position.grid.zone"] = nil
            let reader = try FidelityCases.reopenedIfDurable(driver)
            for (id, values) in zip(ids, expected) {
                try checkEqual(try reader.values(id), values, "the values of a site")
            }
        }
    }

    private static var encoded: ConformanceCase {
        ConformanceCase(.atomicity, "Encoded values are saved and read byte by byte") { driver in
            let values = [
                Data("[]".utf8), Data("[\"a\"]".utf8), Data(), Data([0, 255, 0]),
                Data(repeating: 91, count: 300_000),
            ]
            let ids = try values.map { data in
                try driver.insert(
                    "Site", ["labels": .binary(data), "origin.marks": .binary(data)])
            }
            try driver.commit { draft in
                try draft.update(ids[0], ["labels": .null])
                try draft.update(ids[1], ["origin.marks": .binary(values[2])])
            }
            let reader = try FidelityCases.reopenedIfDurable(driver)
            for (index, id) in ids.enumerated() {
                var expected: PropertyValues = [
                    "labels": .binary(values[index]), "origin.marks": .binary(values[index]),
                ]
                if index == 0 { expected["labels"] = nil }
                if index == 1 { expected["origin.marks"] = .binary(values[2]) }
                try check(
                    try reader.values(id) == expected, "encoded value \(index) came back changed")
            }
        }
    }

    /// Law 5.
    static var uniqueness: ConformanceCase {
        ConformanceCase(
            .simultaneity, "Uniqueness covers elements of composites, unless one has no value"
        ) { driver in
            func grid(_ zone: Int64?, _ square: StoredText?) -> PropertyValues {
                [
                    "position.grid.zone": zone.map { .integer($0) } ?? .null,
                    "position.grid.square": square.map { .text($0) } ?? .null,
                ]
            }
            let first = try driver.insert("Site", grid(1, "A"))
            let second = try driver.insert("Site", grid(1, "B"))
            for values in [grid(1, nil), grid(1, nil), grid(nil, "A"), grid(nil, "A"), [:]] {
                _ = try driver.insert("Site", values)
            }
            let conflicts = try driver.conflicts { try $0.insert("Site", grid(1, "B")) }
            try checkEqual(conflicts.count, 1, "the number of conflicts")
            _ = try driver.conflicts { try $0.update(first, ["position.grid.square": .text("B")]) }
            try driver.commit { draft in
                try draft.update(first, ["position.grid.square": .text("B")])
                try draft.update(second, ["position.grid.square": .text("A")])
            }
            try checkEqual(try driver.values(first), grid(1, "B"), "the first after the exchange")
        }
    }

    /// Law 6.
    static var refusal: ConformanceCase {
        ConformanceCase(
            .pushdown, "Encoded values and whole composites are neither compared nor ordered"
        ) { driver in
            _ = try insertSites(driver)
            let snapshot = try driver.store.snapshot()
            let wrong: [FetchPredicate] = [
                .keyPath("labels", .equal, .binary(Data("[]".utf8))),
                .keyPath("labels", .notEqual, .binary(Data())), .keyPath("labels", .less, .null),
                .keyPath("labels", .isIn, [StoredValue.null]),
                .keyPath("labels", .contains, .text("a")),
                .comparison(
                    PredicateComparison(
                        .keyPath(["labels"]), .equal, .keyPath(["origin.marks"]))),
                .keyPath("position", .equal, .double(1)), .keyPath("position", .less, .null),
                .keyPath("position.grid.north", .equal, .null),
                .keyPath("position.latitude.degrees", .equal, .double(1)),
            ]
            for predicate in wrong {
                try checkThrows(.invalidRequest, "\(predicate)") {
                    try QueryExecution(
                        driver.query("Site", where: predicate), on: driver.store, in: snapshot
                    ).rows()
                }
            }
            for path in ["labels", "position", "next.origin.marks", "nothing"] {
                try checkThrows(.invalidRequest, "sorting by '\(path)'") {
                    try QueryExecution(
                        driver.query("Site", sortedBy: [FetchSortDescriptor(path)]),
                        on: driver.store, in: snapshot
                    ).rows()
                }
            }
        }
    }

    // MARK: - Sites

    /// Sites without elements, with some and with all.
    static var sites: [PropertyValues] {
        let full: PropertyValues = [
            "number": .integer(1), "position_latitude": .text("no element"),
            "position.latitude": .double(48.2), "position.longitude": .double(16.4),
            "position.height": .double(0), "position.grid.zone": .integer(33),
            "position.grid.square": .text("u"), "origin.name": .text("e\u{301}tage"),
            "origin.price": .decimal(SampleValues.decimal("12.34")),
            "origin.found": SampleValues.date(0.5), "origin.marks": .binary(Data("[1]".utf8)),
            "labels": .binary(Data("[\"a\"]".utf8)),
        ]
        let single = full.keys.sorted().filter { $0 != "position.grid.square" }
            .map { [$0: full[$0] ?? .null] }
        var other = full
        other["position.grid.square"] = .text("v")
        return [[:]] + single + [other, full]
    }

    /// Saves the sites, each referring to the next, among others that make an index worthwhile.
    static func insertSites(_ driver: StoreDriver) throws -> StoreContents {
        var draft = driver.draft()
        var ids = try sites.map { try draft.insert("Site", $0) }
        for index in 0..<90 {
            ids.append(
                try draft.insert(
                    "Site",
                    [
                        "number": .integer(Int64(index % 7)),
                        "position.latitude": .double(Double(index % 30) - 10),
                        "origin.name": index % 3 == 0 ? .null : .text(StoredText("n \(index % 5)")),
                    ]))
        }
        try driver.commit(draft)
        try driver.commit { draft in
            for index in 1..<40 {
                try draft.update(
                    ids[index],
                    ["previous": .objectID(ids[index - 1]), "next": .objectID(ids[index + 1])])
            }
            try draft.update(ids[0], ["next": .objectID(ids[1])])
            try draft.update(ids[40], ["previous": .objectID(ids[39])])
        }
        return try driver.contents()
    }
}
