import DuramenModel
import DuramenPostgres
import DuramenStore
import StoreTestSupport
import Synchronization
import Testing

/// Counters that several processes increment.
@Suite(.enabled(if: TestServer.isThere)) struct LostUpdateTests {
    private static let counters = 3

    @Test func noIncrementOfSeveralProcessesIsLost() async throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next()
        let store = try place.open(model: FaultModel.model)
        let ids = try store.insert(
            "Counter", all: (0..<Self.counters).map { _ in ["value": .integer(0)] })
        let schema = place.location
        await withTaskGroup { group in
            for _ in 0..<TestSizes.processes {
                group.addTask {
                    await #expect(processExitsWith: .success) { [schema = schema as String] in
                        try LostUpdateTests.incrementAll(schema)
                    }
                }
            }
        }
        let snapshot = try store.snapshot()
        let total = try ids.map { try store.integer(store.present($0, in: snapshot), "value") }
        #expect(
            total.reduce(0, +)
                == Int64(TestSizes.processes * TestSizes.threads * TestSizes.increments))
        try store.close()
    }

    /// What one process does.
    private static func incrementAll(_ schema: String) throws {
        let place = PersistentStoreDescription.postgres(try TestServer.location(), schema: schema)
            .allowingUnsafeServer().timeout(seconds: 60)
        let store = try place.open(model: FaultModel.model)
        let entity = try store.entity("Counter")
        let keys = try store.keys(store.query("Counter"))
        try inThreads(TestSizes.threads) { thread in
            for number in 0..<TestSizes.increments {
                let key = keys[(thread + number) % keys.count]
                try store.increment(
                    ManagedObjectID(store: store.handle, entity: entity.handle, key: key))
            }
        }
        try store.close()
    }

    @Test func noIncrementOfSeveralThreadsIsLostAndConflictsAreSeen() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next().timeout(seconds: 60)
        let stores = try (0..<3).map { _ in try place.open(model: FaultModel.model) }
        let id = try stores[0].insert("Counter", ["value": .integer(0)])
        let conflicts = Atomic<Int>(0)
        try inThreads(6) { thread in
            for _ in 0..<10 {
                conflicts.add(try stores[thread % 3].increment(id), ordering: .relaxed)
            }
        }
        #expect(try stores[1].value(id, "value") == .integer(60))
        #expect(conflicts.load(ordering: .relaxed) > 0)
        for store in stores { try store.close() }
    }
}
