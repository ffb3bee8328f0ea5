import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import Logging
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What only another process, or one with other limits, can show. The processes are exit tests.
@Suite struct ProcessTests {
    let folder = TemporaryFolder()

    private static func store(_ path: String) throws -> any PersistentStore {
        try PersistentStoreDescription.sqlite(path).timeout(seconds: 0.2).open(model: Library.model)
    }

    private static func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func aSaveOfAnotherProcessIsInTheNextSnapshot() async throws {
        let path = folder.file()
        let store = try Self.store(path)
        let tag = try store.insert("Tag", ["label": .text("a")])
        let before = try store.snapshot()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Self.store(path)
            try other.insert("Tag", ["label": .text("b")])
            try other.close()
        }
        let query = StoreQuery(entity: try store.entity("Tag").id)
        #expect(try before.count(query) == 1)
        let after = try store.snapshot()
        #expect(try after.count(query) == 2)
        #expect(after.generation.rawValue > before.generation.rawValue)
        #expect(try store.insert("Tag", [:]).key > tag.key)
        try store.close()
    }

    @Test func aHeldLockFileIsBusyAtTheDeadline() throws {
        let store = try Self.store(folder.file())
        try store.insert("Tag", [:])
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
        #expect(Self.code { try store.insert("Tag", [:]) } == .storeBusy)
        #expect(try store.snapshot().count(StoreQuery(entity: store.entity("Tag").id)) == 1)
        // Opening and reading wait for no writer.
        let other = try Self.store(folder.file())
        #expect(try other.snapshot().count(StoreQuery(entity: other.entity("Tag").id)) == 1)
        try other.close()
        close(file)
        try store.insert("Tag", [:])
        try store.close()
    }

    @Test func aHeldSnapshotKeepsTheFileFromOtherProcessesAfterClosing() async throws {
        let path = folder.file()
        let type = SQLiteStoreType()
        let description = PersistentStoreDescription.sqlite(path).timeout(seconds: 0.2)
        let store = try Self.store(path)
        let id = try store.insert("Tag", ["label": .text("a")])
        let snapshot = try store.snapshot()
        try store.close()
        // None of these may look into the file by itself: that would drop the snapshot's locks.
        _ = try type.metadata(of: description)
        try type.setUserInfo(["a": .integer(1)], of: description)
        let other = Library.makeModel(extra: [
            AttributeDescription("added", .string, isOptional: true)
        ])
        #expect(Self.code { _ = try description.open(model: other) } == .incompatibleModel)
        #expect(Self.code { try type.destroy(description) } == .storeBusy)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let description = PersistentStoreDescription.sqlite(path).timeout(seconds: 0.2)
            guard Self.code({ try SQLiteStoreType().destroy(description) }) == .storeBusy else {
                throw StoreError(.io, "taken away under a snapshot")
            }
        }
        #expect(snapshot.generation.rawValue > 0)
        #expect(Self.code { _ = try snapshot.rows(for: [id]) } == .closed)
    }

    @Test func aCopyIsNotOpenedBesideItsSource() throws {
        let type = SQLiteStoreType()
        let description = PersistentStoreDescription.sqlite(folder.file())
        let copy = PersistentStoreDescription.sqlite(folder.file("copy.sqlite"))
        let store = try Self.store(folder.file())
        let id = try store.insert("Tag", ["label": .text("a")])
        try type.copy(description, to: copy)
        #expect(Self.code { _ = try copy.open(model: Library.model) } == .invalidRequest)
        try store.close()
        let copied = try copy.open(model: Library.model)
        #expect(try copied.value(id, "label") == .text("a"))
        #expect(Self.code { _ = try Self.store(folder.file()) } == .invalidRequest)
        try copied.close()
        try Self.store(folder.file()).close()
    }

    #if os(Linux)
    // Only the administrator can make a small disk; elsewhere there is nothing to see.
    @Test(.enabled(if: geteuid() == 0)) func aFullDiskIsATypedErrorAndTheStoreGoesOn() throws {
        let disk = folder.path + "/disk"
        mkdir(disk, 0o700)
        guard mount("none", disk, "tmpfs", 0, "size=600k") == 0 else { return }
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let store = try Self.store(disk + "/library.sqlite")
        let id = try store.insert("Tag", ["label": .text("a")])
        let long = StoredText(String(repeating: "x", count: 2_000_000))
        for _ in 0..<2 {
            #expect(Self.code { try store.insert("Tag", ["label": .text(long)]) } == .diskFull)
            #expect(try store.value(id, "label") == .text("a"))
        }
        try #require(mount("none", disk, "tmpfs", UInt(MS_REMOUNT), "size=16m") == 0)
        let next = try store.insert("Tag", ["label": .text(long)])
        #expect(try store.value(next, "label") == .text(long))
        try store.close()
    }
    #endif

    @Test func whatMayNotBeReachedIsATypedError() async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let closed = path + "/closed"
            // What runs when the process ends, such as a check for leaks, needs its own user again.
            defer { _ = seteuid(getuid()) }
            try Self.store(path + "/file.sqlite").close()
            chmod(path + "/file.sqlite", 0)
            mkdir(closed, 0)
            // The administrator may reach everything.
            if geteuid() == 0 {
                chmod(path, 0o755)
                guard seteuid(65_534) == 0 else { return }
            }
            guard Self.code({ _ = try Self.store(closed + "/a.sqlite") }) == .permissionDenied,
                Self.code({ _ = try Self.store(path + "/file.sqlite") }) == .permissionDenied
            else { throw StoreError(.io, "no typed error without permission") }
        }
        chmod(path + "/closed", 0o700)
    }

    @Test(arguments: 1...4) func eachLevelOfDiagnosticsTellsMore(_ level: Int) async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) { [path = path as String, level = level as Int] in
            setenv("DURAMEN_SQL_DEBUG", String(level), 1)
            LoggingSystem.bootstrap { _ in CapturingHandler() }
            let store = try Self.store(path)
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
    static let lines = Mutex<[String]>([])
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
