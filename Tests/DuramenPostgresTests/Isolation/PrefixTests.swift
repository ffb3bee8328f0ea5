import DuramenModel
import DuramenPostgres
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Synchronization
import Testing

/// Every state has exactly the saves up to its number.
@Suite(.enabled(if: TestServer.isThere)) struct PrefixTests {
    /// A state as a reader saw it.
    private struct Observation {
        let generation: StoreGeneration
        /// How many objects there are, one of each save.
        let count: Int
    }

    /// Counts the states from which a save is missing, or which have one too many.
    private static func mistakes(_ seen: [Observation], _ saves: [StoreGeneration]) -> Int {
        let saves = saves.sorted()
        var expected = 0
        return seen.sorted { $0.generation < $1.generation }.count { observation in
            while expected < saves.count, saves[expected] <= observation.generation {
                expected += 1
            }
            return observation.count != expected
        }
    }

    private func observe(_ store: any PersistentStore) throws -> Observation {
        let snapshot = try store.snapshot()
        return Observation(
            generation: snapshot.generation, count: try snapshot.count(store.query("Tag")))
    }

    @Test func everyStateIsAPrefixAndAConsumerMissesNothing() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next().timeout(seconds: 60)
        let stores = try (0..<3).map { _ in try place.open(model: FaultModel.model) }
        try SlowedCommits.slow(place)
        let consumer = try #require(stores[2] as? any HistoryTrackingStore)
        try consumer.beginHistory()
        let first = try stores[0].snapshot().generation
        let writers = 4
        let saves = Locked<[StoreGeneration]>([])
        let seen = Locked<[Observation]>([])
        let left = Atomic<Int>(writers)
        let consumed = Locked<[Int64]>([])
        let seed = randomSeed()
        try inThreads(writers + 3) { thread in
            let store = stores[thread % 3]
            if thread < writers {
                defer { left.subtract(1, ordering: .releasing) }
                var random = SplitMix64(seed: seed &+ UInt64(thread))
                for _ in 0..<TestSizes.prefixSaves {
                    // Of different lengths, so that they overtake each other.
                    let more = Int.random(in: 0..<8, using: &random)
                    let tag = try store.allocateKeys(1, for: store.entity("Tag").id)
                    let others = try store.allocateKeys(more, for: store.entity("Counter").id)
                    var changes = ChangeSet()
                    changes.inserts.append(try store.row("Tag", key: tag.lowerBound, [:]))
                    for key in others {
                        changes.inserts.append(try store.row("Counter", key: key, [:]))
                    }
                    let receipt = try store.saved(changes)
                    saves.withLock { $0.append(receipt.generation) }
                }
            } else if thread < writers + 2 {
                while left.load(ordering: .acquiring) > 0 {
                    let observation = try observe(store)
                    seen.withLock { $0.append(observation) }
                }
            } else {
                var last = first.rawValue
                var isLast = false
                while !isLast {
                    isLast = left.load(ordering: .acquiring) == 0
                    for transaction in try consumer.history(HistoryRequest(after: last)) {
                        last = transaction.transactionNumber
                        consumed.withLock { $0.append(transaction.transactionNumber) }
                    }
                }
            }
        }
        let all = saves.withLock { $0 }
        let states = seen.withLock { $0 }
        #expect(all.count == writers * TestSizes.prefixSaves)
        #expect(states.count > 0)
        #expect(Self.mistakes(states, all) == 0)
        #expect(consumed.withLock { $0 } == all.map(\.rawValue).sorted())
        for store in stores { try store.close() }
    }

    @Test func aWriterThatTakesItsNumberWithoutItsTurnIsFoundOut() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next()
        let store = try place.open(model: FaultModel.model)
        let history = try #require(store as? any HistoryTrackingStore)
        try history.beginHistory()
        let first = try store.snapshot().generation
        let tag = try store.allocateKeys(1, for: store.entity("Tag").id).lowerBound
        let raw = try RawServer()
        try raw.run("BEGIN")
        try raw.run(
            "INSERT INTO \(place.quoted).tag (id, entity, version) SELECT \(tag), number, 1 "
                + "FROM \(place.quoted).entities WHERE name = 'Tag'")
        let number = try raw.number(
            "INSERT INTO \(place.quoted).saves (number, stamp, at, changes) SELECT "
                + "nextval('\(place.quoted).order_numbers'), 99999999, 0, 0 RETURNING number")
        var saves = [StoreGeneration(rawValue: number)]
        // It waits for nobody, and so others overtake it.
        try store.insert("Tag")
        let early = try observe(store)
        saves.append(early.generation)
        let before = try history.history(HistoryRequest(after: first.rawValue))
        try raw.run("COMMIT")
        #expect(Self.mistakes([early], saves) == 1)
        #expect(Self.mistakes([try observe(store)], saves) == 0)
        // A consumer goes on behind what it has seen, and never sees the late number.
        let last = try #require(before.last).transactionNumber
        #expect(last > number)
        #expect(try history.history(HistoryRequest(after: last)).isEmpty)
        try store.close()
    }
}
