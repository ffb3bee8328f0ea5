import CSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenSQLite

/// What a refused commit may leave in the log.
@Suite struct LogTailTests {
    private let folder = TemporaryFolder()
    private let connection: Connection

    init() throws { connection = try Self.open(folder.file()) }

    @Test(
        "A commit that was refused and is whole in the log is cut off, so that nobody finds it after a crash"
    )
    func isCutOff() throws {
        try connection.execute("INSERT INTO t VALUES ('made')")
        try leaveCommit(of: "refused")
        #expect(try textsAfterCrash() == ["made", "refused"])
        #expect(connection.cutRefusedCommit())
        #expect(try textsAfterCrash() == ["made"])
        #expect(try connection.texts("SELECT x FROM t") == ["made"])
        try connection.execute("INSERT INTO t VALUES ('next')")
        #expect(try textsAfterCrash() == ["made", "next"])
    }

    @Test("So is one that would be the first of a log")
    func firstIsCutOff() throws {
        try connection.execute("INSERT INTO t VALUES ('made')")
        try connection.execute("PRAGMA wal_checkpoint(RESTART)")
        try leaveCommit(of: "refused")
        #expect(try textsAfterCrash() == ["made", "refused"])
        #expect(connection.cutRefusedCommit())
        #expect(try textsAfterCrash() == ["made"])
        try connection.execute("INSERT INTO t VALUES ('next')")
        #expect(try textsAfterCrash() == ["made", "next"])
    }

    @Test("So is a part of one, which what is written later could complete")
    func partIsCutOff() throws {
        try connection.execute("INSERT INTO t VALUES ('made')")
        let log = try Data(contentsOf: URL(filePath: folder.file() + "-wal"))
        try leaveCommit(of: "refused", bytes: 4_000)
        #expect(connection.cutRefusedCommit())
        #expect(try Data(contentsOf: URL(filePath: folder.file() + "-wal")) == log)
        #expect(try textsAfterCrash() == ["made"])
    }

    @Test("A log without any stays as it is")
    func othersStay() throws {
        try connection.execute("INSERT INTO t VALUES ('made')")
        let log = try Data(contentsOf: URL(filePath: folder.file() + "-wal"))
        #expect(connection.cutRefusedCommit())
        #expect(try Data(contentsOf: URL(filePath: folder.file() + "-wal")) == log)
    }

    @Test("A log whose first page was never written has no commits")
    func beginningIsMissing() throws {
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try Data(repeating: 0, count: 100_000).write(to: URL(filePath: folder.file() + "-wal"))
        #expect(connection.cutRefusedCommit())
    }

    @Test("Nothing is said to be cut off while another program writes")
    func cannotBeTold() throws {
        try connection.execute("INSERT INTO t VALUES ('made')")
        var other: OpaquePointer?
        try RawDatabase.hold(folder.file(), &other)
        defer { RawDatabase.release(other) }
        #expect(!connection.cutRefusedCommit())
    }

    // MARK: - Files

    private static func open(_ path: String) throws -> Connection {
        let file = try #require(try StoreFile.claim(path, makes: true).file)
        var handle: OpaquePointer?
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        let connection = Connection(
            handle: try #require(handle), file: file, path: path, counters: StoreCounters(),
            timeoutSeconds: 0, hidesValues: false)
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.execute("CREATE TABLE IF NOT EXISTS t(x)")
        return connection
    }

    /// Copies the file and its log, as they are.
    private func copyFiles(_ name: String) throws -> String {
        let path = "\(folder.path)/\(name).sqlite"
        for suffix in ["", "-wal"] {
            try Data(contentsOf: URL(filePath: folder.file() + suffix))
                .write(to: URL(filePath: path + suffix))
        }
        return path
    }

    private func textsAfterCrash() throws -> [String] {
        try RawDatabase.texts(try copyFiles("found-\(UUID())"), "SELECT x FROM t")
    }

    /// Puts the frames of a commit behind the last one, of which the engine does not know.
    private func leaveCommit(of text: String, bytes: Int = .max) throws {
        let other = try Self.open(try copyFiles("other"))
        let log = try FileHandle(forUpdating: URL(filePath: folder.file() + "-wal"))
        try other.execute("INSERT INTO t VALUES ('\(text)')")
        let frames = try #require(connection.committedFrames)
        let whole = try Data(contentsOf: URL(filePath: other.path + "-wal"))
        let start = frames == 0 ? 0 : 32 + Int(frames) * 4_120
        try log.seek(toOffset: UInt64(start))
        try log.write(contentsOf: whole[start...].prefix(bytes))
        try log.close()
    }
}
