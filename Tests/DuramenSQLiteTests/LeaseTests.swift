import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Snapshots that are held for long while others save.
@Suite struct LeaseTests {
    let folder = TemporaryFolder()
    let time = TestClock()

    private func open(leaseSeconds: Double = 300) throws -> any PersistentStore {
        try PersistentStoreDescription.sqlite(folder.file()).durability(.relaxed)
            .snapshotLease(seconds: leaseSeconds).clock(time.clock).open(model: Library.model)
    }

    private var logBytes: Int { fileBytes(folder.file() + "-wal") }

    /// Saves about 1,000 pages, which is when a checkpoint is due.
    private func fillLog(_ store: any PersistentStore) throws {
        let text = StoredValue.letters(500_000)
        for _ in 0..<8 { try store.insert("Tag", ["label": text]) }
    }

    @Test("A snapshot held beyond its lease is ended when the log grows, and the log begins anew")
    func anOverdueSnapshotIsEnded() throws {
        let store = try open()
        let id = try store.insert("Tag", ["label": .text("first")])
        let snapshot = try store.snapshot()
        for _ in 0..<4 { try fillLog(store) }
        let blocked = logBytes
        #expect(blocked > 12_000_000, "a reader keeps the log from beginning anew")
        #expect(try snapshot.rows(for: [id]).count == 1)
        time.advance(seconds: 301)
        for _ in 0..<8 { try fillLog(store) }
        #expect(logBytes < blocked + 10_000_000, "the log began anew: \(logBytes) after \(blocked)")
        let error = #expect(throws: StoreError.self) { try snapshot.rows(for: [id]) }
        #expect(error?.code == .snapshotExpired)
        #expect(error?.message.contains("library.sqlite") == true)
        #expect(storeErrorCode { try snapshot.cursor(store.query("Tag")) } == .snapshotExpired)
        #expect(try store.snapshot().count(store.query("Tag")) == 97)
        try store.close()
    }

    @Test("A snapshot within its lease, or one that keeps no log, is not ended")
    func othersGoOn() throws {
        let store = try open()
        let id = try store.insert("Tag", ["label": .text("first")])
        let old = try store.snapshot()
        try fillLog(store)
        time.advance(seconds: 200)
        let young = try store.snapshot()
        time.advance(seconds: 200)
        // Overdue, but nothing was saved that needs its space.
        #expect(try old.rows(for: [id]).count == 1)
        for _ in 0..<3 { try fillLog(store) }
        #expect(storeErrorCode { try old.rows(for: [id]) } == .snapshotExpired)
        #expect(try young.count(store.query("Tag")) == 9)
        time.advance(seconds: 200)
        #expect(try young.count(store.query("Tag")) == 9)
        #expect(try store.snapshot().count(store.query("Tag")) == 33)
        try store.close()
    }

    @Test("Handing a snapshot out again renews its lease")
    func sharingRenews() throws {
        let store = try open()
        try store.insert("Tag", ["label": .text("first")])
        let first = try store.snapshot()
        time.advance(seconds: 200)
        let second = try store.snapshot()
        #expect(first.generation == second.generation)
        time.advance(seconds: 200)
        #expect(try store.maintainIfCapable().endedSnapshots == 0)
        time.advance(seconds: 100)
        #expect(try store.maintainIfCapable().endedSnapshots == 1)
        #expect(storeErrorCode { try first.count(store.query("Tag")) } == .snapshotExpired)
        // The next user gets one of its own.
        #expect(try store.snapshot().count(store.query("Tag")) == 1)
        try store.close()
    }

    @Test("A cursor under way ends with its snapshot, and never begins anew")
    func aCursorEndsToo() throws {
        let store = try open(leaseSeconds: 0)
        for _ in 0..<5 { try store.insert("Tag") }
        let cursor = try store.snapshot().cursor(store.query("Tag"))
        #expect(try cursor.next(maximumRows: 2)?.count == 2)
        #expect(try store.maintainIfCapable().endedSnapshots == 1)
        for _ in 0..<2 {
            #expect(
                storeErrorCode { try cursor.next(maximumRows: 2) } == .snapshotExpired)
        }
        #expect(try store.snapshot().count(store.query("Tag")) == 5)
        try store.close()
    }

    @Test("Maintenance leaves a short log: an empty one unless somebody reads")
    func maintenanceShortensTheLog() throws {
        let store = try open()
        let id = try store.insert("Tag", ["label": .text("first")])
        try fillLog(store)
        #expect(logBytes > 3_000_000)
        let alone = try store.maintainIfCapable()
        #expect(alone.isComplete)
        #expect(logBytes == 0)
        let text = StoredValue.letters(500_000)
        try store.insert("Tag", ["label": text])
        let snapshot = try store.snapshot()
        try store.insert("Tag", ["label": text])
        let beside = try store.maintainIfCapable()
        #expect(!beside.isComplete)
        #expect(beside.endedSnapshots == 0)
        #expect(try snapshot.rows(for: [id]).count == 1)
        #expect(logBytes > 900_000)
        withExtendedLifetime(snapshot) {}
        try store.close()
    }

    @Test("Maintenance says by how much the files became shorter")
    func maintenanceCountsBytes() throws {
        let store = try open()
        let text = StoredValue.letters(500_000)
        try store.insert("Tag", ["label": text])
        // Once in the file, the same pages are written a second time.
        try store.maintainIfCapable()
        let query = try store.query("Tag")
        let row = try #require(try store.snapshot().cursor(query).next(maximumRows: 1)?.first)
        let id = row.objectID(in: store.model, store: store.handle)
        let other = StoredValue.letters(500_000, "y")
        try store.saved(ChangeSet(updates: [try store.update(id, ["label": other])]))
        let before = fileBytes(folder.file()) + logBytes
        let report = try store.maintainIfCapable()
        #expect(report.bytesFreed > 0)
        #expect(report.bytesFreed == Int64(before - fileBytes(folder.file()) - logBytes))
        try store.close()
    }
}

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
    private let elapsed = Locked(Duration.zero)

    var clock: StoreClock { StoreClock { self.elapsed.withLock { $0 } } }

    func advance(seconds: Double) { elapsed.withLock { $0 += .seconds(seconds) } }
}
