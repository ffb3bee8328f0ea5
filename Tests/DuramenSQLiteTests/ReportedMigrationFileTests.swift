import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Reports about migrations that exchange files, and about logs beside them. Names begin with the
/// number of the report.
@Suite struct ReportedMigrationFileTests {
    let folder = TemporaryFolder()

    private var description: PersistentStoreDescription {
        .sqlite(folder.file()).durability(.unsafeNoSync).timeout(seconds: 0.2)
    }

    private static func model(isNew: Bool) -> ManagedObjectModel {
        testModel([
            EntityDescription(
                name: "Tag",
                attributes: [
                    AttributeDescription(
                        isNew ? "name" : "label", .string, isOptional: true,
                        renamingIdentifier: "label")
                ]
                    + (isNew
                        ? [AttributeDescription("rank", .integer32, default: .integer(4))] : []))
        ])
    }

    private let old = model(isNew: false)
    private let new = model(isNew: true)

    /// Makes a store with some tags in several saves.
    private func fill(_ labels: [String] = ["a", "b", "c"]) throws {
        let store = try description.open(model: old)
        for label in labels { try store.insert("Tag", ["label": .text(StoredText(label))]) }
        try store.close()
    }

    private func texts(_ sql: String) throws -> [String] {
        try RawDatabase.texts(folder.file(), sql)
    }

    private func fileNumber() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file())
        return try #require((attributes[.systemFileNumber] as? NSNumber)?.intValue)
    }

    // MARK: - B9

    @Test("B9: The file of a store is not swapped, and who reads it meanwhile reads on")
    func b9TheFileIsNotSwapped() throws {
        try fill()
        let number = try fileNumber()
        var reader: OpaquePointer?
        defer { sqlite3_close_v2(reader) }
        try #require(
            sqlite3_open_v2(folder.file(), &reader, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try #require(
            sqlite3_prepare_v2(
                reader, "SELECT ZLABEL FROM ZTAG ORDER BY Z_PK", -1,
                &statement, nil) == SQLITE_OK)
        func read() -> String? {
            guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
            return sqlite3_column_text(statement, 0).map { String(cString: $0) }
        }
        #expect(read() == "a")
        try description.open(model: new).close()
        // The state from before, to its end.
        #expect(read() == "b")
        #expect(read() == "c")
        #expect(read() == nil)
        #expect(try fileNumber() == number)
        #expect(try texts("SELECT ZNAME || ZRANK FROM ZTAG ORDER BY Z_PK") == ["a4", "b4", "c4"])
    }

    @Test("B9: A migration waits for a program that writes until its own deadline, and then throws")
    func b9AWriterIsWaitedFor() throws {
        try fill()
        var writer: OpaquePointer?
        try RawDatabase.hold(folder.file(), &writer)
        var policy = MigrationPolicy()
        policy.timeoutSeconds = 0.1
        #expect(
            storeErrorCode { try description.migrating(policy).open(model: new) } == .storeBusy)
        RawDatabase.release(writer)
        #expect(try texts("SELECT ZLABEL FROM ZTAG ORDER BY Z_PK") == ["a", "b", "c"])
        try description.migrating(policy).open(model: new).close()
        #expect(try texts("SELECT ZNAME FROM ZTAG ORDER BY Z_PK") == ["a", "b", "c"])
    }

    // MARK: - B15

    @Test("B15: What only the log of a killed program has is migrated, and is in the copy")
    func b15TheLogIsPartOfTheStore() async throws {
        let path = folder.file()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let description = PersistentStoreDescription.sqlite(path)
            let store = try description.open(model: Self.model(isNew: false))
            for label in ["a", "b", "c"] {
                try store.insert("Tag", ["label": .text(StoredText(label))])
            }
            kill(getpid(), SIGKILL)
        }
        // The file alone has no tag yet.
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("alone.sqlite"))
        let alone = try? RawDatabase.texts(
            folder.file("alone.sqlite"), "SELECT ZLABEL FROM ZTAG ORDER BY Z_PK")
        #expect(alone != ["a", "b", "c"])

        var policy = MigrationPolicy()
        policy.backup = .always
        try description.migrating(policy).open(model: new).close()
        #expect(try texts("SELECT ZNAME FROM ZTAG ORDER BY Z_PK") == ["a", "b", "c"])
        let backup = try #require(description.migrationBackups.first)
        #expect(
            try RawDatabase.texts(backup.location, "SELECT ZLABEL FROM ZTAG ORDER BY Z_PK")
                == ["a", "b", "c"])
        #expect(try RawDatabase.texts(backup.location, "PRAGMA integrity_check") == ["ok"])
    }

    @Test("B15: A log from before a migration that meets the migrated file is never read into it")
    func b15AnOldLogDoesNotMeetTheNewFile() throws {
        let path = folder.file()
        let store = try description.durability(.full).open(model: old)
        for label in ["a", "b", "c"] {
            try store.insert("Tag", ["label": .text(StoredText(label))])
        }
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        #expect(!log.isEmpty)
        try store.close()
        try description.open(model: new).close()
        let migrated = try Data(contentsOf: URL(filePath: path))

        // As a restored folder, or a swap by path, would have it.
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        try log.write(to: URL(filePath: path + "-wal"))
        let error = #expect(throws: StoreError.self) { try description.open(model: new) }
        #expect(error?.code == .foreignLog)
        #expect(try Data(contentsOf: URL(filePath: path)) == migrated)
        #expect(try Data(contentsOf: URL(filePath: path + "-wal.foreign")) == log)
        try description.open(model: new).close()
        #expect(try texts("SELECT ZNAME || ZRANK FROM ZTAG ORDER BY Z_PK") == ["a4", "b4", "c4"])
        #expect(try texts("PRAGMA integrity_check") == ["ok"])
    }

    // MARK: - B32

    /// What another program sees of the store's version.
    private static let bookkeeping =
        "SELECT (SELECT group_concat(name) FROM pragma_table_info('ZTAG')) || ' ' "
        + "|| (SELECT count(*) FROM DURAMEN_MODEL) || ' ' "
        + "|| (SELECT count(*) FROM sqlite_master WHERE name = 'DURAMEN_EPOCH') || ' ' "
        + "|| (SELECT max(Z_PK) FROM DURAMEN_SAVE) || ' ' || (SELECT hex(Z_PLIST) FROM Z_METADATA)"

    @Test(
        "B32: At every moment another program sees all of the old version or all of the new"
    )
    func b32BookkeepingIsInTheSameTransaction() throws {
        try fill()
        let path = folder.file()
        let before = try texts(Self.bookkeeping)
        let seen = Locked<[MigrationProgress.Phase: Set<String>]>([:])
        let watched = description.onMigration { progress in
            let text = (try? RawDatabase.texts(path, Self.bookkeeping)) ?? ["unreadable"]
            seen.withLock { _ = $0[progress.phase, default: []].insert(text.joined()) }
        }
        try watched.open(model: new).close()
        let all = seen.withLock { $0 }
        let after = try texts(Self.bookkeeping)
        #expect(before != after)
        for phase in [MigrationProgress.Phase.checks, .rows, .indexes] {
            #expect(all[phase] == Set(before), "\(phase)")
        }
        #expect(all[.end] == Set(after))
        #expect(try texts("SELECT count(*) FROM DURAMEN_EPOCH") == ["1"])
        #expect(
            try texts(
                "SELECT count(*) FROM DURAMEN_MODEL WHERE ZCHECKSUM IN "
                    + "('\(old.versionChecksum)', '\(new.versionChecksum)')") == ["2"])
    }

    @Test("A reader goes on with what it has begun to read while a copy takes the store's place")
    func aReaderGoesOnWhileACopyTakesTheStoresPlace() throws {
        try fill()
        var reader: OpaquePointer?
        defer { sqlite3_close_v2(reader) }
        func count(_ sql: String) -> Int32 {
            var statement: OpaquePointer?
            guard sqlite3_prepare_v2(reader, sql, -1, &statement, nil) == SQLITE_OK else {
                return -1
            }
            defer { sqlite3_finalize(statement) }
            return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1
        }
        #expect(sqlite3_open_v2(folder.file(), &reader, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        #expect(sqlite3_exec(reader, "BEGIN", nil, nil, nil) == SQLITE_OK)
        #expect(count("SELECT COUNT(ZLABEL) FROM ZTAG") == 3)
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: old),
            to: ManagedObjectModelReference(model: new))
        stage.steps = [
            .fill("Tag", "rank", with: .integer(9)),
            .delete("Tag", where: .keyPath("label", .equal, .text("a"))),
        ]
        try description.migrating(with: StagedMigrationManager([stage])).open(model: new).close()
        #expect(count("SELECT COUNT(ZLABEL) FROM ZTAG") == 3)
        #expect(sqlite3_exec(reader, "COMMIT", nil, nil, nil) == SQLITE_OK)
        #expect(count("SELECT COUNT(ZNAME) FROM ZTAG WHERE ZRANK = 9") == 2)
        #expect(count("SELECT COUNT(ZLABEL) FROM ZTAG") == -1)
    }
}
