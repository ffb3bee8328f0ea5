import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Testing

@Suite struct MemoryStoreTests {
    private let driver: StoreDriver

    init() throws { driver = try StoreDriver(StoreFixture { _ in .memory() }) }

    @Test func rowsAreCopiedAndDoNotKeepTheCallersMemory() throws {
        weak var callers: RowStorage?
        let id: ManagedObjectID
        do {
            var draft = driver.draft()
            id = try draft.insert("Tag", ["name": .text("red")])
            callers = draft.changes.inserts.first?.storage
            #expect(callers != nil)
            try driver.commit(draft)
        }
        #expect(callers == nil)
        #expect(try driver.values(id) == ["name": .text("red")])
    }

    @Test func versionsAreTheNumberOfTheSave() throws {
        let first = try driver.insert("Tag")
        let second = try driver.insert("Tag")
        #expect(try driver.existingRow(first).version == RowVersion(rawValue: 1))
        #expect(try driver.existingRow(second).version == RowVersion(rawValue: 2))
        #expect(try driver.store.snapshot().generation == StoreGeneration(rawValue: 2))
    }

    @Test func keysThatTheCallerChoseAreNotHandedOut() throws {
        let chosen = try driver.insert("Tag", key: 5_000)
        #expect(try driver.insert("Tag").key > chosen.key)
    }

    @Test func behindTheLastKeyNoneIsHandedOut() throws {
        _ = try driver.insert("Tag", key: .max)
        let error = #expect(throws: StoreError.self) {
            try driver.store.allocateKeys(1, for: driver.entity("Tag").id)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func anObjectTwiceInOneChangeSetIsRefused() throws {
        let id = try driver.insert("Tag")
        var draft = driver.draft()
        try draft.update(id, ["name": .text("a")])
        try draft.delete(id)
        #expect(throws: StoreError.self) { try driver.store.save(draft.changes) }
        #expect(try driver.values(id) == [:])
    }

    @Test func abstractEntitiesHaveNoRows() throws {
        var draft = driver.draft()
        try draft.insert("Item")
        #expect(throws: StoreError.self) { try driver.store.save(draft.changes) }
    }

    @Test func countersCountRowsAndSnapshots() throws {
        for _ in 0..<5 { _ = try driver.insert("Disc") }
        let rows = driver.store.counters.rowsDecoded
        let snapshots = driver.store.counters.snapshots
        let query = driver.query("Item")
        let snapshot = try driver.store.snapshot()
        #expect(try QueryExecution(query, on: driver.store, in: snapshot).rows().count == 5)
        #expect(driver.store.counters.rowsDecoded - rows == 5)
        #expect(driver.store.counters.snapshots - snapshots == 1)
    }
}
