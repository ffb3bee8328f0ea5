import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Rows stand in the order of their keys, whichever keys come and go.
@Suite struct RowOrderTests {
    private let driver: StoreDriver

    init() throws { driver = try StoreDriver(StoreFixture { _ in .memory() }) }

    private func keys(_ snapshot: any StoreSnapshot) throws -> [Int64] {
        try QueryExecution(driver.query("Tag"), on: driver.store, in: snapshot).objectIDs()
            .map(\.key)
    }

    private func save(inserting keys: [Int64], deleting deleted: [ManagedObjectID] = []) throws {
        var draft = driver.draft()
        for key in keys { try draft.insert("Tag", key: key) }
        for id in deleted { try draft.delete(id) }
        try driver.commit(draft)
    }

    @Test func keysInDescendingOrderAndFarApartAreOrdered() throws {
        let chosen: [Int64] = (1...500).map { $0 * 1_000_003 } + [.max - 1, 1, 2]
        try save(inserting: chosen.reversed())
        #expect(try keys(driver.store.snapshot()) == chosen.sorted())
    }

    @Test func randomKeysComeAndGoAndSnapshotsKeepTheirs() throws {
        var random = SplitMix64(seed: randomSeed())
        var known: Set<Int64> = []
        var held: [(snapshot: any StoreSnapshot, keys: [Int64])] = []
        for step in 0..<repetitions(60) {
            let space = step % 3 == 0 ? Int64.max : 20_000
            var new: Set<Int64> = []
            for _ in 0..<Int.random(in: 0...400, using: &random) {
                new.insert(Int64.random(in: 1..<space, using: &random))
            }
            // Whole stretches too, so that pieces become empty and are joined.
            let gone = known.sorted().enumerated().filter { place, _ in
                step % 5 == 4 ? place % 70 != 0 : step % 4 == 1 && place % 3 == 0
            }.map(\.element)
            new.subtract(known)
            let entity = driver.entity("Tag")
            try save(
                inserting: new.shuffled(using: &random),
                deleting: gone.map {
                    ManagedObjectID(
                        store: driver.store.handle, entity: entity.handle, key: $0)
                })
            known = known.union(new).subtracting(gone)
            let snapshot = try driver.store.snapshot()
            #expect(try keys(snapshot) == known.sorted())
            #expect(try snapshot.count(driver.query("Tag")) == known.count)
            held.append((snapshot, known.sorted()))
        }
        for (snapshot, keys) in held { #expect(try self.keys(snapshot) == keys) }
        for key in known.sorted().prefix(500) {
            let id = ManagedObjectID(
                store: driver.store.handle, entity: driver.entity("Tag").handle, key: key)
            #expect(try driver.existingRow(id).key == key)
        }
    }
}
