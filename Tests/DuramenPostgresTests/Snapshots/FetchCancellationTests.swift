import DuramenModel
import DuramenPostgres
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Fetches that are cancelled while the server works on them.
///
/// A table that somebody else has locked makes a fetch as long as necessary.
@Suite(.enabled(if: TestServer.isThere)) struct FetchCancellationTests {
    private let schemas: TestSchemas
    private let place: PersistentStoreDescription
    private let store: any PersistentStore
    private let raw: RawServer

    init() throws {
        schemas = try TestSchemas()
        place = try schemas.nextWithRole().timeout(seconds: 60)
        store = try place.open(model: FaultModel.model)
        raw = try RawServer()
        try store.insert("Tag", all: (0..<1_500).map { _ in [:] })
    }

    private func query(_ flag: CancellationFlag?) throws -> StoreQuery {
        var query = try store.query("Tag")
        query.cancellation = flag
        return query
    }

    private func lock() throws {
        try raw.run("BEGIN")
        try raw.run("LOCK TABLE \(place.quoted).tag IN ACCESS EXCLUSIVE MODE")
    }

    private func end() throws {
        try store.close()
        schemas.destroyAll()
    }

    @Test func aCancelledFetchLeavesItsStateToOtherReaders() throws {
        try store.insert("Counter", all: (0..<1_500).map { _ in [:] })
        let snapshot = try store.snapshot()
        let other = try store.snapshot()
        let cursor = try snapshot.cursor(store.query("Counter"))
        var read = try #require(try cursor.next(maximumRows: 10)).count
        for _ in 0..<3 {
            try lock()
            let flag = CancellationFlag()
            let asked = try query(flag)
            let fetch = Background { try snapshot.count(asked) }
            #expect(try raw.waitForWaiting(place.location, 1))
            flag.cancel()
            #expect(storeErrorCode { try fetch.value() } == .cancelled)
            // The other reader of the state, and a cursor that was begun before, go on.
            #expect(try other.count(store.query("Counter")) == 1_500)
            read += try #require(try cursor.next(maximumRows: 300)).count
            try raw.run("ROLLBACK")
        }
        while let batch = try cursor.next(maximumRows: 400) { read += batch.count }
        #expect(read == 1_500)
        #expect(try other.count(query(nil)) == 1_500)
        try end()
    }

    @Test func cancellationsHitNoOtherQuery() throws {
        var random = SplitMix64(seed: randomSeed())
        var cancelled = 0
        while cancelled < TestSizes.cancellations {
            var snapshots: [any StoreSnapshot] = []
            for _ in 0..<6 {
                try store.insert("Counter")
                snapshots.append(try store.snapshot())
            }
            // A state may be cancelled several times: its second reader waits for the first.
            for _ in 0..<3 {
                try lock()
                let flags = snapshots.map { _ in CancellationFlag() }
                let fetches = try zip(snapshots, flags).map { snapshot, flag in
                    let asked = try query(flag)
                    return Background { try snapshot.count(asked) }
                }
                #expect(try raw.waitForWaiting(place.location, fetches.count))
                let chosen = flags.indices.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
                for place in chosen { flags[place].cancel() }
                for place in chosen {
                    #expect(storeErrorCode { try fetches[place].value() } == .cancelled)
                }
                cancelled += chosen.count
                let isIdle = try raw.waitFor(
                    place.location, "wait_event_type = 'Lock'",
                    atMost: Int64(fetches.count - chosen.count))
                #expect(isIdle)
                try raw.run("ROLLBACK")
                for place in fetches.indices where !chosen.contains(place) {
                    #expect(try fetches[place].value() == 1_500)
                    // It has the lock of its table now, and would not wait again.
                    snapshots[place] = try renewed()
                }
            }
            for snapshot in snapshots { #expect(try snapshot.count(query(nil)) == 1_500) }
        }
        try store.close()
        #expect(try raw.waitForNobody(place.location), "no connection is left")
        schemas.destroyAll()
    }

    @Test func fetchesThatAreCancelledAtAnyMomentLeaveNoTransaction() throws {
        let (seed, count) = (randomSeed(), TestSizes.cancelledFetches / 4)
        let plain = try query(nil)
        let tally = Locked((cancelled: 0, whole: 0))
        try inThreads(4) { [store] worker in
            var random = SplitMix64(seed: seed &+ UInt64(worker))
            for _ in 0..<count {
                if Int.random(in: 0..<8, using: &random) == 0 { try store.insert("Counter") }
                let flag = CancellationFlag()
                var query = plain
                query.cancellation = flag
                let pause = Int.random(in: 0..<1_000, using: &random)
                // Most are not, since a cancelled one costs a new connection.
                let canceller =
                    Int.random(in: 0..<4, using: &random) > 0
                    ? nil
                    : Background {
                        for _ in 0..<pause { sched_yield() }
                        flag.cancel()
                    }
                // Some are cancelled before they begin, however slow a new thread is.
                if pause < 200 { try canceller?.value() }
                do {
                    let rows = try store.snapshot().count(query)
                    if rows != 1_500 { throw StoreError(.io, "\(rows) rows were counted") }
                    tally.withLock { $0.whole += 1 }
                } catch let error as StoreError where error.code == .cancelled {
                    if canceller == nil { throw error }
                    tally.withLock { $0.cancelled += 1 }
                }
                try canceller?.value()
            }
        }
        #expect(tally.withLock { $0.cancelled > 0 && $0.whole > 0 } || isSlice)
        // A store keeps the connection of its newest state, without a transaction.
        #expect(try raw.waitFor(place.location, "state = 'idle in transaction'", atMost: 0))
        #expect(try store.snapshot().count(query(nil)) == 1_500)
        try store.close()
        #expect(try raw.waitForNobody(place.location), "no connection is left")
        schemas.destroyAll()
    }

    private func renewed() throws -> any StoreSnapshot {
        try store.insert("Counter")
        return try store.snapshot()
    }

    @Test func aStatementThatIsCancelledByNobodyIsRunAgain() throws {
        let snapshot = try store.snapshot()
        let flag = CancellationFlag()
        let asked = try query(flag)
        try lock()
        let first = Background { try snapshot.count(asked) }
        #expect(try raw.waitForWaiting(place.location, 1))
        flag.cancel()
        #expect(storeErrorCode { try first.value() } == .cancelled)
        // A request that comes late hits the next statement of the connection.
        let plain = try query(nil)
        let second = Background { try snapshot.count(plain) }
        #expect(try raw.waitForWaiting(place.location, 1))
        try raw.run(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                + "AND \(RawServer.about(place.location))")
        #expect(try raw.waitForWaiting(place.location, 1))
        try raw.run("ROLLBACK")
        #expect(try second.value() == 1_500)
        try end()
    }

    @Test func aStatementThatTheServerCancelsIsBusyAndItsStateGoesOn() throws {
        let snapshot = try store.snapshot()
        try lock()
        let plain = try query(nil)
        let fetch = Background { try snapshot.count(plain) }
        #expect(try raw.waitForWaiting(place.location, 1))
        try raw.run(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                + "AND \(RawServer.about(place.location))")
        #expect(storeErrorCode { try fetch.value() } == .storeBusy)
        try raw.run("ROLLBACK")
        #expect(try snapshot.count(plain) == 1_500)
        try end()
    }

    @Test func aReadBeyondItsTimeoutIsBusyAndItsStateGoesOn() throws {
        let limited = try place.readTimeout(seconds: 0.5).open(model: FaultModel.model)
        let snapshot = try limited.snapshot()
        let generation = snapshot.generation
        let plain = try query(nil)
        let ids = try store.snapshot().objectIDs(plain)
        try lock()
        for count in 1...2 {
            #expect(
                storeErrorCode { try snapshot.rows(for: Array(ids.prefix(count))) } == .storeBusy)
        }
        #expect(storeErrorCode { try snapshot.count(plain) } == .storeBusy)
        #expect(storeErrorCode { try limited.all("Tag", in: snapshot) } == .storeBusy)
        // The server has ended it, too.
        #expect(try raw.waitFor(place.location, "wait_event_type = 'Lock'", atMost: 0))
        try raw.run("ROLLBACK")
        try store.insert("Tag")
        // On a busy machine a read may take half a second.
        #expect(eventually { (try? snapshot.count(plain)) == 1_500 })
        #expect(snapshot.generation == generation)
        // A save has its own time-out.
        try limited.insert("Tag")
        try limited.close()
        try end()
    }
}
