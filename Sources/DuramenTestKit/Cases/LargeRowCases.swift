import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Rows of 1 MiB and of 64 MiB. A store must not reserve memory for the product of a row's size and
/// a number of rows.
enum LargeRowCases {
    static var all: [ConformanceCase] { [saving, converting, batch] }

    private typealias Sizes = [(id: ManagedObjectID, size: Int)]

    // The first row is large, to detect stores that expect equal sizes of the others; small ones
    // follow.
    private static func sizes(_ driver: StoreDriver) -> [Int] {
        [driver.fixture.largeRowBytes, 1 << 20, 100, 1 << 20, 10]
    }

    private static var saving: ConformanceCase {
        ConformanceCase(
            .atomicity, "Rows of 1 MiB and of 64 MiB are saved, fetched, changed and deleted"
        ) { driver in
            var rows = try insert(driver)
            let reader = try FidelityCases.reopenedIfDurable(driver)
            try checkFetches(of: rows, reader)
            // The largest row becomes small, and a small one the largest.
            rows = zip(rows, sizes(driver).reversed()).map { ($0.id, $1) }
            try reader.commit { draft in
                for (id, size) in rows { try draft.update(id, values(size)) }
            }
            try checkFetches(of: rows, reader)
            try reader.commit { draft in
                for (id, _) in rows.dropLast() { try draft.delete(id) }
            }
            try checkFetches(of: rows.suffix(1), try FidelityCases.reopenedIfDurable(reader))
        }
    }

    private static var converting: ConformanceCase {
        ConformanceCase(.atomicity, "Rows of 1 MiB and of 64 MiB are verified and converted") {
            driver in
            let rows = try insert(driver)
            let copy = StoreDriver(try driver.fixture.open(driver.model), driver.fixture)
            let sums = try StoreConversion(from: driver.store, to: copy.store).run()
            try checkEqual(
                sums.entities.reduce(0) { $0 + $1.rowCount }, rows.count, "the rows verified")
            let copies = rows.map { id, size in
                let entity = copy.entity("Entry").handle
                return (
                    ManagedObjectID(store: copy.store.handle, entity: entity, key: id.key), size
                )
            }
            try checkFetches(of: copies, copy)
            // Its key must differ from those of the copied rows.
            let new = try copy.insert("Entry", ["indexedText": .text("new")])
            try check(!copies.contains { $0.0 == new }, "a key was handed out that a row has")
            try checkEqual(try StoreVerification(of: copy.store).run(), [], "the findings")
        }
    }

    private static var batch: ConformanceCase {
        ConformanceCase(
            .batches, "A batch writes rows of 1 MiB and of 64 MiB", requires: .batches
        ) { driver in
            var rows: Sizes = []
            _ = try driver.batch { batch in
                for size in sizes(driver) {
                    rows.append((try batch.insert("Entry", values(size)), size))
                }
            }
            try checkFetches(of: rows, driver)
        }
    }

    private static func values(_ size: Int) -> PropertyValues {
        ["plainBytes": .binary(Data(repeating: UInt8(size % 251), count: size))]
    }

    private static func insert(_ driver: StoreDriver) throws -> Sizes {
        var draft = driver.draft()
        let rows = try sizes(driver).map { (id: try draft.insert("Entry", values($0)), size: $0) }
        try driver.commit(draft)
        return rows
    }

    /// Reads rows by queries in two orders, by a condition, and by their IDs.
    private static func checkFetches(
        of rows: some Sequence<(id: ManagedObjectID, size: Int)>, _ driver: StoreDriver
    ) throws {
        let sizes = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0.size) })
        let queries = [
            driver.query("Entry"),
            driver.query("Entry", where: .keyPath("plainBytes", .notEqual, .null)),
            driver.query("Entry", sortedBy: [FetchSortDescriptor("plainBytes", ascending: false)]),
        ]
        let snapshot = try driver.store.snapshot()
        for query in queries {
            var found: [ManagedObjectID] = []
            for row in try QueryExecution(query, on: driver.store, in: snapshot).rows() {
                found.append(driver.id(of: row))
                try checkRow(row, sizes[driver.id(of: row)], driver)
            }
            try checkEqual(Set(found), Set(sizes.keys), "the objects of a walk")
            try checkEqual(found.count, sizes.count, "the rows of a walk")
        }
        for (id, size) in sizes {
            try checkRow(try driver.existingRow(id, in: snapshot), size, driver)
        }
    }

    private static func checkRow(_ row: Row, _ size: Int?, _ driver: StoreDriver) throws {
        let found = RowCoding.values(of: row, in: driver.model, store: driver.store.handle)
        // The bytes themselves would make messages too long.
        try check(found == size.map(values), "a row of \(size ?? 0) bytes came back changed")
    }
}
