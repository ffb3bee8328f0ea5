import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import Logging
import StoreTestSupport
import Testing

/// What only another process, or one with other limits, can show. The processes are exit tests.
@Suite struct ProcessTests {
    let folder = TemporaryFolder()

    @Test func aSaveOfAnotherProcessIsInTheNextSnapshot() async throws {
        let path = folder.file()
        let store = try Library.open(path)
        let tag = try store.insert("Tag", ["label": .text("a")])
        let before = try store.snapshot()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Library.open(path)
            try other.insert("Tag", ["label": .text("b")])
            try other.close()
        }
        let query = try store.query("Tag")
        #expect(try before.count(query) == 1)
        let after = try store.snapshot()
        #expect(try after.count(query) == 2)
        #expect(after.generation.rawValue > before.generation.rawValue)
        #expect(try store.insert("Tag").key > tag.key)
        try store.close()
    }

    @Test func aHeldLockFileIsBusyAtTheDeadline() throws {
        let store = try Library.open(folder.file(), timeoutSeconds: 0.2)
        try store.insert("Tag")
        // A lock of another open file counts like one of another process.
        // Closed in the processes that other tests start, which would go on holding the lock.
        let file = open(folder.file() + ".lock", O_RDWR | O_CLOEXEC)
        #if os(Linux)
        var region = flock()
        region.l_type = Int16(F_WRLCK)
        region.l_whence = Int16(SEEK_SET)
        try #require(fcntl(file, 37, &region) == 0)
        #else
        try #require(flock(file, LOCK_EX | LOCK_NB) == 0)
        #endif
        #expect(storeErrorCode { try store.insert("Tag") } == .storeBusy)
        #expect(try store.snapshot().count(store.query("Tag")) == 1)
        // Opening and reading wait for no writer.
        let other = try Library.open(folder.file(), timeoutSeconds: 0.2)
        #expect(try other.snapshot().count(other.query("Tag")) == 1)
        // To close waits no longer than anything else.
        try other.close()
        close(file)
        try store.insert("Tag")
        try store.close()
    }

    @Test func aHeldSnapshotKeepsTheFileFromOtherProcessesAfterClosing() async throws {
        let path = folder.file()
        let type = SQLiteStoreType()
        let description = PersistentStoreDescription.sqlite(path).timeout(seconds: 0.2)
        let store = try Library.open(path)
        let id = try store.insert("Tag", ["label": .text("a")])
        let snapshot = try store.snapshot()
        try store.close()
        // None of these may look into the file by itself: that would drop the snapshot's locks.
        _ = try type.metadata(of: description)
        try type.setUserInfo(["a": .integer(1)], of: description)
        let other = Library.makeModel(extra: [
            AttributeDescription("added", .string, isOptional: true)
        ])
        #expect(storeErrorCode { try type.open(description, model: other) } == .incompatibleModel)
        #expect(storeErrorCode { try type.destroy(description) } == .storeBusy)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let description = PersistentStoreDescription.sqlite(path).timeout(seconds: 0.2)
            guard storeErrorCode({ try SQLiteStoreType().destroy(description) }) == .storeBusy
            else {
                throw StoreError(.io, "taken away under a snapshot")
            }
        }
        #expect(snapshot.generation.rawValue > 0)
        #expect(storeErrorCode { try snapshot.rows(for: [id]) } == .closed)
    }

    @Test func aCopyIsNotOpenedBesideItsSource() throws {
        let type = SQLiteStoreType()
        let description = PersistentStoreDescription.sqlite(folder.file())
        let copy = PersistentStoreDescription.sqlite(folder.file("copy.sqlite"))
        let store = try Library.open(folder.file())
        let id = try store.insert("Tag", ["label": .text("a")])
        try type.copy(description, to: copy)
        #expect(storeErrorCode { try copy.open(model: Library.model) } == .invalidRequest)
        try store.close()
        let copied = try copy.open(model: Library.model)
        #expect(try copied.value(id, "label") == .text("a"))
        #expect(storeErrorCode { try Library.open(folder.file()) } == .invalidRequest)
        try copied.close()
        try Library.open(folder.file()).close()
    }

    #if os(Linux)
    // The engine tries for ten seconds, whatever the time-out.
    @Test func aLogWhoseIndexIsHeldIsBusy() throws {
        let store = try Library.open(folder.file())
        try store.insert("Tag")
        let file = open(folder.file() + "-shm", O_RDWR | O_CLOEXEC)
        // As of a process that was stopped there: the marks of readers are bytes 123 to 127
        // (walformat.html).
        var region = flock()
        region.l_type = Int16(F_WRLCK)
        region.l_whence = Int16(SEEK_SET)
        region.l_start = 123
        region.l_len = 5
        try #require(fcntl(file, 37, &region) == 0)
        #expect(
            storeErrorCode { try Library.open(folder.file(), timeoutSeconds: 0.2) } == .storeBusy)
        region.l_type = Int16(F_UNLCK)
        try #require(fcntl(file, 37, &region) == 0)
        try store.insert("Tag")
        try store.close()
        // Not before: it drops all locks of the process.
        close(file)
    }

    // Only the administrator can make a small disk; elsewhere there is nothing to see.
    @Test(.enabled(if: SmallDisk.isPermitted)) func aFullDiskIsATypedErrorAndTheStoreGoesOn() throws
    {
        guard let disk = SmallDisk(in: folder, kibibytes: 600) else { return }
        defer { disk.unmount() }
        let store = try Library.open(disk.path + "/library.sqlite")
        let id = try store.insert("Tag", ["label": .text("a")])
        let long = StoredValue.letters(2_000_000)
        for _ in 0..<2 {
            #expect(storeErrorCode { try store.insert("Tag", ["label": long]) } == .diskFull)
            #expect(try store.value(id, "label") == .text("a"))
        }
        try #require(disk.grow(kibibytes: 16_384))
        let next = try store.insert("Tag", ["label": long])
        #expect(try store.value(next, "label") == long)
        try store.close()
    }
    #endif

    @Test func whatMayNotBeReachedIsATypedError() async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let closed = path + "/closed"
            // What runs when the process ends, such as a check for leaks, needs its own user again.
            defer { _ = seteuid(getuid()) }
            try Library.open(path + "/file.sqlite").close()
            chmod(path + "/file.sqlite", 0)
            mkdir(closed, 0)
            // The administrator may reach everything.
            if geteuid() == 0 {
                chmod(path, 0o755)
                guard seteuid(65_534) == 0 else { return }
            }
            guard storeErrorCode({ try Library.open(closed + "/a.sqlite") }) == .permissionDenied,
                storeErrorCode({ try Library.open(path + "/file.sqlite") }) == .permissionDenied
            else { throw StoreError(.io, "no typed error without permission") }
        }
        chmod(path + "/closed", 0o700)
    }

    @Test(arguments: 1...4) func eachLevelOfDiagnosticsTellsMore(_ level: Int) async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) { [path = path as String, level = level as Int] in
            setenv("DURAMEN_SQL_DEBUG", String(level), 1)
            LoggingSystem.bootstrap { _ in CapturingHandler() }
            let store = try Library.open(path)
            let id = try store.insert("Tag", ["label": .text("secret")])
            _ = try store.value(id, "label")
            try store.close()
            let lines = CapturingHandler.lines.withLock { $0 }
            let insertions = lines.filter { $0.contains("INTO \"ZTAG\"") }
            let facts = [
                !insertions.isEmpty,
                insertions.contains { $0.contains(" values") } == (level >= 2),
                insertions.contains { $0.contains("secret") } == (level >= 3),
                lines.contains { $0.hasPrefix("plan: ") } == (level >= 4),
            ]
            guard facts.allSatisfy({ $0 }) else { throw StoreError(.io, "\(facts) \(insertions)") }
        }
    }
}

/// Keeps what is logged in this process.
struct CapturingHandler: LogHandler {
    static let lines = Locked<[String]>([])
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Self.lines.withLock { $0.append("\(event.message)") }
    }
}
