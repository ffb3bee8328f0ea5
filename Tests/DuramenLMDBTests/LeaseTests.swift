import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Snapshots that are held, forgotten, or were a dead process's.
@Suite struct LeaseTests {
    let folder = TemporaryFolder()

    private func open(
        _ durability: Durability = .unsafeNoSync, leaseSeconds: Double = 300
    ) throws -> any PersistentStore {
        try PersistentStoreDescription.lmdb(folder.file()).durability(durability)
            .snapshotLease(seconds: leaseSeconds).open(model: Library.model)
    }

    private var dataBytes: Int { fileBytes(folder.file() + "/data.mdb") }

    @Test("Housekeeping ends a snapshot past its lease, with its cursors, and others go on")
    func pastTheLease() throws {
        let store = try open(leaseSeconds: 0)
        let ids = try store.insert("Tag", all: (0..<5).map { _ in Library.label(10) })
        let old = try store.snapshot()
        let cursor = try old.cursor(store.query("Tag"))
        #expect(try cursor.next(maximumRows: 2)?.count == 2)
        try store.insert("Tag")
        // Nothing needs its space yet.
        #expect(try old.rows(for: ids).count == 5)
        try store.maintainIfCapable()
        let error = #expect(throws: StoreError.self) { try old.rows(for: ids) }
        #expect(error?.code == .snapshotExpired)
        #expect(error?.message.contains("library.lmdb") == true)
        for _ in 0..<2 {
            #expect(storeErrorCode { try cursor.next(maximumRows: 2) } == .snapshotExpired)
        }
        #expect(storeErrorCode { try old.count(store.query("Tag")) } == .snapshotExpired)
        let young = try store.snapshot()
        #expect(try young.count(store.query("Tag")) == 6)
        try store.insert("Tag")
        #expect(try young.count(store.query("Tag")) == 6)
        #expect(try store.snapshot().count(store.query("Tag")) == 7)
        try store.close()
    }

    @Test("Housekeeping leaves a snapshot within its lease alone")
    func withinTheLease() throws {
        let store = try open()
        let ids = try store.insert("Tag", all: (0..<5).map { _ in Library.label(10) })
        let snapshot = try store.snapshot()
        for _ in 0..<40 { try store.insert("Tag", Library.label(600_000)) }
        try store.maintainIfCapable()
        #expect(try snapshot.rows(for: ids).count == 5)
        #expect(try snapshot.count(store.query("Tag")) == 5)
        try store.close()
    }

    @Test("A forgotten snapshot does not make the file grow for ever")
    func forgotten() throws {
        let store = try open(leaseSeconds: 0)
        let id = try store.insert("Tag", Library.label(800_000))
        let forgotten = try store.snapshot()
        for round in 0..<60 {
            _ = try store.saved(
                ChangeSet(updates: [try store.update(id, Library.label(800_000 + round))]))
        }
        // 48 MB were written; 16 MiB of growth are borne, looked at every 16 saves.
        #expect(dataBytes < 36 << 20, "\(dataBytes)")
        #expect(storeErrorCode { try forgotten.rows(for: [id]) } == .snapshotExpired)
        try store.close()
    }

    @Test("A snapshot of a process that was killed does not make the file grow for ever")
    func deadReaders() async throws {
        let path = folder.file()
        let store = try open()
        let id = try store.insert("Tag", Library.label(400_000))
        for _ in 0..<2 {
            await #expect(processExitsWith: .failure) { [path = path as String] in
                let other = try Library.open(path)
                let snapshot = try other.snapshot()
                guard snapshot.generation.rawValue > 0 else { return }
                kill(getpid(), SIGKILL)
            }
        }
        for round in 0..<60 {
            _ = try store.saved(
                ChangeSet(updates: [try store.update(id, Library.label(400_000 + round))]))
        }
        // 24 MB were written; readers are looked for every 16 saves.
        #expect(dataBytes < 12 << 20, "\(dataBytes)")
        try store.close()
    }

    @Test("Too many states held at once are a typed error; those that were ended do not count")
    func tooManyStates() throws {
        let store = try open(leaseSeconds: 0)
        var held: [any StoreSnapshot] = []
        func holdMany() -> StoreError.Code? {
            storeErrorCode {
                for _ in 0..<40 {
                    try store.insert("Tag")
                    held.append(try store.snapshot())
                }
            }
        }
        #expect(holdMany() == .readersExhausted)
        #expect(held.count == 32)
        // The newest state is shared, not held anew.
        try store.maintainIfCapable()
        #expect(holdMany() == .readersExhausted)
        #expect(held.count == 64)
        held = []
        _ = try store.snapshot()
        try store.close()
    }

    @Test("When the engine's own table of readers is full, that is the same error")
    func tooManyReaders() throws {
        try open().close()
        let opening = try StoreOpening(.lmdb(folder.file()))
        let use = try opening.openEnvironment()
        var readers: [Reader] = []
        let code = storeErrorCode {
            for _ in 0..<2_000 { readers.append(try Reader(use, timeoutSeconds: 0)) }
        }
        #expect(code == .readersExhausted)
        #expect(readers.count >= Int(Environment.readerLimit))
        let store = try open()
        #expect(storeErrorCode { try store.snapshot() } == .readersExhausted)
        readers.removeLast(10)
        #expect(try store.snapshot().count(store.query("Tag")) == 0)
        try store.close()
    }

    @Test("After housekeeping the last user leaves a file without free pages")
    func compaction() throws {
        let store = try open(.relaxed)
        let kept = try store.insert("Tag", ["label": .text("kept")])
        for id in try store.insert("Tag", all: (0..<20).map { _ in Library.label(200_000) }) {
            try store.delete(id)
        }
        let second = try open(.relaxed)
        #expect(dataBytes > 4_000_000)
        try store.maintainIfCapable()
        try store.close()
        // Somebody has it open still.
        #expect(dataBytes > 4_000_000)
        #expect(try second.value(kept, "label") == .text("kept"))
        try second.insert("Tag", ["label": .text("late")])
        try second.close()
        #expect(dataBytes < 400_000)
        #expect(CheckMark.isValid(try StoreFolder(folder.file())))
        let again = try open()
        #expect(try again.value(kept, "label") == .text("kept"))
        #expect(try again.snapshot().count(again.query("Tag")) == 2)
        #expect(try again.insert("Tag").key > kept.key + 20)
        try again.close()
    }

    @Test("A store that another process has open is not put in the place of a compact copy")
    func compactionBesideAnotherProcess() async throws {
        let path = folder.file()
        let store = try open()
        for id in try store.insert("Tag", all: (0..<10).map { _ in Library.label(200_000) }) {
            try store.delete(id)
        }
        let before = FileIdentity(path: path + "/data.mdb")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Library.open(path)
            try other.maintainIfCapable()
            try other.close()
        }
        #expect(FileIdentity(path: path + "/data.mdb") == before)
        try store.insert("Tag")
        try store.close()
    }
}
