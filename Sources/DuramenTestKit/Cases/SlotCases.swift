import DuramenModel
import DuramenQuery
import DuramenStore

/// Law 6 for queries with selected slots: a store may leave the other slots null, nothing else.
enum SlotCases {
    static var all: [ConformanceCase] {
        [
            ConformanceCase(.pushdown, "A query for some slots has their values, and every row") {
                driver in
                let data = try QueryData(driver)
                for query in queries(data) { try compare(query, driver) }
            }
        ]
    }

    private static func queries(_ data: QueryData) -> [StoreQuery] {
        let driver = data.driver
        var window = driver.query("Item", sortedBy: [FetchSortDescriptor("code")])
        window.offset = 2
        window.limit = 5
        var own = driver.query("Item")
        own.includesSubentities = false
        return [
            driver.query("Item"), own, driver.query("Sample"), driver.query("Shelf"), window,
            driver.query("Item", sortedBy: [FetchSortDescriptor("shelf.name")]),
            driver.query("Item", where: .keyPath("rank", .greater, .integer(0))),
        ]
    }

    private static func compare(_ query: StoreQuery, _ driver: StoreDriver) throws {
        let snapshot = try driver.store.snapshot()
        let entity = driver.model[query.entity]
        let whole = try QueryExecution(query, on: driver.store, in: snapshot).rows()
        let count = entity.layout.slotCount
        for first in 0..<count {
            // One slot alone, and one with another slot far from it.
            for second in [first, (first + count / 2) % count] {
                var slots = SlotSet()
                slots.insert(first)
                slots.insert(second)
                var part = query
                part.slots = slots
                let rows = try QueryExecution(part, on: driver.store, in: snapshot).rows()
                try check(rows, whole, slots.slots, driver)
            }
        }
        // Earlier queries must not affect a query for all slots.
        let again = try QueryExecution(query, on: driver.store, in: snapshot).rows()
        try check(again, whole, Array(0..<count), driver)
    }

    private static func check(
        _ rows: [Row], _ whole: [Row], _ slots: [Int], _ driver: StoreDriver
    ) throws {
        try checkEqual(
            rows.map(driver.id(of:)), whole.map(driver.id(of:)),
            "the rows of a query for the slots \(slots)")
        for (row, other) in zip(rows, whole) {
            try checkEqual(row.version, other.version, "the version of \(driver.id(of: row))")
            let kinds = driver.model[row.entityID].layout.kinds
            for slot in slots {
                try checkEqual(
                    row.value(slot, kinds[slot]), other.value(slot, kinds[slot]),
                    "slot \(slot) of \(driver.id(of: row)) in a query for the slots \(slots)")
            }
        }
    }
}
