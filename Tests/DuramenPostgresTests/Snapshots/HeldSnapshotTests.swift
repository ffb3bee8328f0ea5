import DuramenModel
import DuramenPostgres
import DuramenQuery
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// States that are held while others save.
@Suite(.enabled(if: TestServer.isThere)) struct HeldSnapshotTests {
    private let schemas: TestSchemas

    init() throws { schemas = try TestSchemas() }

    @Test func twelveStatesAreReadWhileSavesGoOn() throws {
        defer { schemas.destroyAll() }
        let store = try schemas.nextWithRole().open(model: FaultModel.model)
        try store.insert("Tag", all: (0..<600).map { _ in ["label": .text("old")] })
        var held: [any StoreSnapshot] = []
        for _ in 0..<12 {
            try store.insert("Tag")
            held.append(try store.snapshot())
        }
        let cursor = try held[0].cursor(store.query("Tag"))
        var read = try #require(try cursor.next(maximumRows: 10)).count
        for _ in 0..<TestSizes.savesBesideSnapshots { try store.insert("Tag") }
        for (place, snapshot) in held.enumerated() {
            #expect(try snapshot.count(store.query("Tag")) == 601 + place)
        }
        while let batch = try cursor.next(maximumRows: 100) { read += batch.count }
        #expect(read == 601)
        #expect(
            try store.snapshot().count(store.query("Tag")) == 612 + TestSizes.savesBesideSnapshots)
        try store.close()
    }

    @Test func aStateBeyondItsLeaseIsEndedAndThePoolRecovers() throws {
        defer { schemas.destroyAll() }
        let time = TestTime()
        let store = try schemas.nextWithRole().connections(2).timeout(seconds: 5)
            .snapshotLease(seconds: 60).clock(time.clock).open(model: FaultModel.model)
        var held: [any StoreSnapshot] = []
        for _ in 0..<2 {
            try store.insert("Tag")
            held.append(try store.snapshot())
        }
        time.advance(seconds: 61)
        // Nobody has to wait, since the overdue states are in the way.
        try store.insert("Tag")
        #expect(try store.snapshot().count(store.query("Tag")) == 3)
        for snapshot in held {
            #expect(storeErrorCode { try snapshot.count(store.query("Tag")) } == .snapshotExpired)
        }
        held = []
        #expect(try store.snapshot().count(store.query("Tag")) == 3)
        try store.close()
    }

    @Test func idleStatesKeepOldRowsOnlyUntilTheirLeasesEnd() throws {
        // What others read in the same database keeps old rows, too.
        let (own, other, time) = (try TestDatabase(), try TestDatabase(), TestTime())
        defer { for database in [own, other] { database.drop() } }
        let place = PersistentStoreDescription.postgres(own.location, schema: "held")
            .allowingUnsafeServer().snapshotLease(seconds: 3_600).clock(time.clock)
        let store = try place.open(model: FaultModel.model)
        let raw = try RawServer(own.location)
        // Somebody writes in another database, so saves alone free no old rows.
        let neighbour = try RawServer(other.location)
        try neighbour.run("BEGIN")
        _ = try neighbour.number("SELECT pg_current_xact_id()")
        // With many saves each row has few versions, or the server would search long lists of them.
        let count = max(100, TestSizes.savesBesideSnapshots / 10)
        let ids = try store.insert("Tag", all: (0..<count).map { _ in ["label": .text("0")] })
        var versions = try store.snapshot().rows(for: ids).map(\.version)
        let changed = RowCoding.slots(of: ["label"], in: try store.entity("Tag"))
        var number = 0
        /// Saves, frees the room of rows that nobody can read, and returns the table's size.
        func sizeAfterSaves() throws -> Int64 {
            for save in 0..<TestSizes.savesBesideSnapshots {
                if save % max(1, TestSizes.savesBesideSnapshots / 10) == 0 {
                    try raw.run("VACUUM \(place.quoted).tag")
                }
                number += 1
                let label = StoredValue.text(StoredText("\(number)"))
                let places = (0..<10).map { (number * 10 + $0) % count }
                let updates = try places.map { place in
                    RowUpdate(
                        row: try store.row("Tag", key: ids[place].key, ["label": label]),
                        baseVersion: versions[place], changedSlots: changed)
                }
                let receipt = try store.saved(ChangeSet(updates: updates))
                for (place, version) in zip(places, receipt.updatedVersions) {
                    versions[place] = version
                }
            }
            try raw.run("VACUUM \(place.quoted).tag")
            return try raw.number("SELECT pg_table_size('\(place.quoted).tag'::regclass)")
        }
        let usual = try sizeAfterSaves()
        var held: [any StoreSnapshot] = []
        for _ in 0..<12 {
            try store.insert("Counter")
            held.append(try store.snapshot())
            #expect(try held[held.count - 1].count(store.query("Tag")) == count)
        }
        let grown = try sizeAfterSaves()
        #expect(grown > usual, "rows that idle states can read stay")
        time.advance(seconds: 3_601)
        #expect(try store.maintainIfCapable().endedSnapshots == 12)
        // The server notices a closed connection a little later.
        let readers =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            + "AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()"
        #expect(try eventually { try raw.number(readers) == 0 })
        try raw.run("VACUUM \(place.quoted).tag")
        // The room of rows that nobody can read any longer is used again.
        for _ in 0..<2 { #expect(try sizeAfterSaves() <= grown) }
        for snapshot in held {
            #expect(storeErrorCode { try snapshot.count(store.query("Tag")) } == .snapshotExpired)
        }
        held = []
        try neighbour.run("ROLLBACK")
        try store.close()
    }

    @Test func withoutAFreeConnectionReadersAreExhaustedInTime() throws {
        defer { schemas.destroyAll() }
        let store = try schemas.nextWithRole().connections(2).timeout(seconds: 0.3)
            .open(model: FaultModel.model)
        var held: [any StoreSnapshot] = []
        for _ in 0..<2 {
            try store.insert("Tag")
            held.append(try store.snapshot())
        }
        #expect(storeErrorCode { try store.snapshot() } == .readersExhausted)
        // Saves have connections of their own.
        try store.insert("Tag")
        held.removeLast()
        #expect(try store.snapshot().count(store.query("Tag")) == 3)
        try store.close()
    }

    @Test func aStateWhoseConnectionTheServerEndedIsNotShared() throws {
        defer { schemas.destroyAll() }
        let place = try schemas.nextWithRole()
        let store = try place.open(model: FaultModel.model)
        try store.insert("Tag")
        let held = try store.snapshot()
        #expect(try held.count(store.query("Tag")) == 1)
        let raw = try RawServer()
        try raw.run(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE "
                + RawServer.about(place.location))
        let next = try store.snapshot()
        #expect(next.generation == held.generation)
        #expect(try next.count(store.query("Tag")) == 1)
        let code = storeErrorCode { try held.count(store.query("Tag")) }
        #expect(code == .snapshotExpired)
        try store.close()
    }

    @Test func nobodyWaitsForALongQueryOfAnotherState() throws {
        defer { schemas.destroyAll() }
        let place = try schemas.nextWithRole().timeout(seconds: 60)
        let store = try place.open(model: FaultModel.model)
        try store.insert("Tag")
        let raw = try RawServer()
        try raw.run("BEGIN")
        try raw.run("LOCK TABLE \(place.quoted).tag IN ACCESS EXCLUSIVE MODE")
        let slow = Background { try store.snapshot().count(store.query("Tag")) }
        #expect(try raw.waitForWaiting(place.location, 1))
        // Taking and releasing states, and their metadata, go on meanwhile.
        for _ in 0..<3 {
            try store.insert("Counter")
            _ = try store.snapshot().generation
            _ = try store.metadata()
        }
        #expect(!slow.hasEnded)
        try raw.run("ROLLBACK")
        #expect(try slow.value() == 1)
        try store.close()
    }
}

/// A clock that a test moves.
final class TestTime: Sendable {
    private let elapsed = Locked(Duration.zero)

    var clock: StoreClock { StoreClock { self.elapsed.withLock { $0 } } }

    func advance(seconds: Double) { elapsed.withLock { $0 += .seconds(seconds) } }
}
