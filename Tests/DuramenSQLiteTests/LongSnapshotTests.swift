import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import StoreTestSupport
import Testing

/// Snapshots that are asked for one object after the other: beyond a few, their transaction is
/// begun in words.
@Suite struct LongSnapshotTests {
    let folder = TemporaryFolder()

    private func filledStore() throws -> (any PersistentStore, [ManagedObjectID]) {
        let store = try Library.open(folder.file(), .relaxed)
        let ids = try (0..<20).map {
            try store.insert("Tag", ["label": .text(StoredText("\($0)"))])
        }
        return (store, ids)
    }

    @Test(
        "A state stays as it is however many objects are read, and the next one is the newest",
        arguments: [1, 7, 8, 9, 20])
    func states(count: Int) throws {
        let (store, ids) = try filledStore()
        for round in 0..<3 {
            let snapshot = try store.snapshot()
            for id in ids.prefix(count) { #expect(try snapshot.row(for: id) != nil) }
            let added = try store.insert("Tag", ["label": .text(StoredText("new \(round)"))])
            #expect(try snapshot.row(for: added) == nil)
            #expect(try snapshot.count(store.query("Tag")) == 20 + round)
            for id in ids.prefix(count) { #expect(try snapshot.row(for: id) != nil) }
            #expect(try store.snapshot().row(for: added) != nil)
            #expect(try snapshot.row(for: added) == nil)
        }
        try store.close()
    }

    @Test("A walk that is under way goes on in its state when the snapshot is gone")
    func walks() throws {
        let (store, ids) = try filledStore()
        var snapshot: (any StoreSnapshot)? = try store.snapshot()
        for id in ids { #expect(try snapshot?.row(for: id) != nil) }
        let cursor = try #require(try snapshot?.cursor(store.query("Tag")))
        var read = try #require(try cursor.next(maximumRows: 5)).count
        snapshot = nil
        try store.insert("Tag", ["label": .text("new")])
        while let batch = try cursor.next(maximumRows: 5) { read += batch.count }
        #expect(read == 20)
        #expect(try store.snapshot().count(store.query("Tag")) == 21)
        try store.close()
    }

    @Test("The log begins anew once a snapshot that read much is gone")
    func checkpoints() throws {
        let (store, ids) = try filledStore()
        do {
            let snapshot = try store.snapshot()
            for id in ids { #expect(try snapshot.row(for: id) != nil) }
        }
        let text = StoredValue.letters(500_000)
        for _ in 0..<64 { try store.insert("Tag", ["label": text]) }
        #expect(fileBytes(folder.file() + "-wal") < 12_000_000)
        try store.close()
    }
}
