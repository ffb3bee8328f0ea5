import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit

/// A thousand discs of different ranks, in a store in memory.
struct Discs {
    let driver: StoreDriver

    init(_ description: PersistentStoreDescription) throws {
        driver = try StoreDriver(StoreFixture { _ in description })
        var draft = driver.draft()
        for number in 0..<1_000 {
            try draft.insert("Disc", ["rank": .integer(Int64(number * 7 % 1_000))])
        }
        try driver.commit(draft)
    }

    func execution(_ query: StoreQuery) throws -> QueryExecution {
        try QueryExecution(query, on: driver.store, in: driver.store.snapshot())
    }

    func ranks(_ query: StoreQuery) throws -> [StoredValue] {
        try execution(query).rows().map {
            RowCoding.values(of: $0, in: driver.model, store: driver.store.handle)["rank"] ?? .null
        }
    }

    /// Puts 50 novels on a shelf.
    ///
    /// - Returns: What asks for them by the shelf's name.
    func addShelf() throws -> StoreQuery {
        let shelf = try driver.insert("Shelf", ["name": .text("high")])
        var draft = driver.draft()
        for _ in 0..<50 { try draft.insert("Novel", ["shelf": .objectID(shelf)]) }
        try driver.commit(draft)
        return driver.query("Novel", where: .keyPath("shelf.name", .equal, .text("high")))
    }
}
