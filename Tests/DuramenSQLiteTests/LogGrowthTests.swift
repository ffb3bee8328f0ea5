import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// The room that a log gets ahead of the commits that need it.
@Suite struct LogGrowthTests {
    let folder = TemporaryFolder()

    private var logBytes: Int { fileBytes(folder.file() + "-wal") }

    private func open(_ durability: Durability) throws -> any PersistentStore {
        try PersistentStoreDescription.sqlite(folder.file()).durability(durability)
            .open(model: Library.model)
    }

    @Test("A log that waits for the disk grows in few large steps, and is kept when it begins anew")
    func growsInSteps() throws {
        let store = try open(.full)
        var lengths: Set<Int> = []
        for _ in 0..<600 {
            try store.insert("Tag")
            lengths.insert(logBytes)
        }
        // Two pages for each save: it was written back once and began anew.
        #expect(lengths.count < 10, "\(lengths.sorted())")
        let whole = try #require(lengths.max())
        #expect((4_000_000..<9_000_000).contains(whole))
        #expect(logBytes == whole)
        try store.maintainIfCapable()
        #expect(logBytes == 0)
        try store.insert("Tag")
        #expect((4_096..<whole).contains(logBytes))
        try store.close()
        #expect(logBytes == 0)
    }

    @Test(
        "A log that waits for no disk takes what it needs",
        arguments: [Durability.relaxed, .unsafeNoSync])
    func othersDoNot(_ durability: Durability) throws {
        let store = try open(durability)
        try store.insert("Tag")
        try store.maintainIfCapable()
        try store.insert("Tag")
        // A head, and pages with theirs.
        #expect((logBytes - 32) % 4_120 == 0)
        #expect(logBytes < 32 + 16 * 4_120)
        try store.close()
    }

    @Test("Room in a log is no commit, to other programs and after the process was killed")
    func roomIsNoCommit() async throws {
        let path = folder.file()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try Library.open(path)
            for _ in 0..<9 { try store.insert("Tag") }
            kill(getpid(), SIGKILL)
        }
        // Nine saves of two or three pages.
        #expect(logBytes > 32 + 40 * 4_120)
        #expect(try RawDatabase.texts(path, "SELECT COUNT(*) FROM ZTAG") == ["9"])
        let store = try open(.full)
        try store.insert("Tag")
        #expect(try store.snapshot().count(store.query("Tag")) == 10)
        // Another program commits behind it, into the room that was made.
        try RawDatabase.run(path, "UPDATE ZTAG SET ZLABEL = 'a'")
        try store.insert("Tag")
        #expect(try store.snapshot().count(store.query("Tag")) == 11)
        try store.close()
        #expect(try RawDatabase.texts(path, "SELECT COUNT(*) FROM ZTAG") == ["11"])
        #expect(
            try RawDatabase.texts(path, "SELECT COUNT(*) FROM ZTAG WHERE ZLABEL = 'a'") == ["10"])
        #expect(try RawDatabase.texts(path, "PRAGMA integrity_check") == ["ok"])
    }
}
