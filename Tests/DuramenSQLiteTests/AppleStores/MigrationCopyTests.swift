import DuramenFileStore
import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Copies that migrations make of Core Data's files, and their large values.
@Suite struct MigrationCopyTests {
    let folder = TemporaryFolder()
    private let photo = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
    private let name = UUID().uuidString

    private static func model(isNew: Bool) -> ManagedObjectModel {
        let photo = AttributeDescription(
            "photo", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true)
        let note = AttributeDescription("note", .string, isOptional: true)
        return testModel([
            EntityDescription(name: "Picture", attributes: isNew ? [photo, note] : [photo])
        ])
    }

    private struct Refusal: Error {}

    /// A store with a large value in the folder that is named after the store without an extension.
    private func makeStore(_ file: String) throws -> PersistentStoreDescription {
        let writer = ArchiveWriter()
        let picture = writer.entity(
            "Picture", [writer.attribute("photo", 1000, [("NSFlagsKey", .integer(4))])])
        let reference = AppleStore.blob([2] + Array(name.utf8) + [0])
        _ = try AppleStore(
            folder.file(file), entities: [("Picture", 0)],
            cache: ArchiveWriter.packed(writer.model([picture])),
            [
                "CREATE TABLE ZPICTURE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZPHOTO BLOB)",
                "INSERT INTO ZPICTURE VALUES (1, 1, 1, \(reference))",
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 1",
            ])
        let values = folder.file(
            ".\((file as NSString).deletingPathExtension)_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(atPath: values, withIntermediateDirectories: true)
        try photo.write(to: URL(filePath: values + "/" + name))
        return .sqlite(folder.file(file))
    }

    private func photos(_ description: PersistentStoreDescription, isNew: Bool) throws
        -> [StoredValue]
    {
        let store = try description.withoutMigration().open(model: Self.model(isNew: isNew))
        defer { try? store.close() }
        return try store.snapshot().objectIDs(store.query("Picture")).map {
            try store.value($0, "photo") ?? .null
        }
    }

    @Test(
        "A stage that fails keeps the large values of a store of Core Data's",
        arguments: ["library.sqlite", "library"])
    func aFailureKeepsLargeValues(file: String) throws {
        let description = try makeStore(file)
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: Self.model(isNew: false)),
            to: ManagedObjectModelReference(model: Self.model(isNew: true)))
        stage.didMigrateHandler = { _, _ in throw Refusal() }
        let migrating = description.migrating(with: try StagedMigrationManager([stage]))
        let code = storeErrorCode { try migrating.open(model: Self.model(isNew: true)).close() }
        #expect(code == .stepFailed)
        #expect(try photos(description, isNew: false) == [.binary(photo)])
        #expect(description.migrationBackups.isEmpty)
        let left = try copies()
        #expect(left == [])
    }

    /// The files of copies, and of their large values.
    private func copies() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { PersistentStoreDescription.isCopy($0) || $0.contains(".migrating") }
    }

    @Test(
        "A migrated store and its backup have their own large values",
        arguments: ["library.sqlite", "library"])
    func aBackupHasItsOwnValues(file: String) throws {
        let description = try makeStore(file)
        try description.open(model: Self.model(isNew: true)).close()
        let backup = try #require(description.migrationBackups.first)
        #expect(try photos(backup.readOnly(), isNew: false) == [.binary(photo)])
        backup.discard()
        let left = try copies()
        #expect(left == [])
        #expect(try photos(description, isNew: true) == [.binary(photo)])
        // Core Data's folder may be shared, so it stays.
        let values = folder.file(
            ".\((file as NSString).deletingPathExtension)_SUPPORT/_EXTERNAL_DATA/\(name)")
        #expect(FileManager.default.fileExists(atPath: values))
    }

    @Test(
        "A trial of a migration leaves no large values", arguments: ["library.sqlite", "library"])
    func aTrialLeavesNoValues(file: String) throws {
        let description = try makeStore(file)
        let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        let planner = MigrationPlanner(model: Self.model(isNew: true))
        let trial = try planner.plan(for: description).dryRun()
        #expect(trial.rows == ["Picture": 1])
        let after = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        #expect(after.filter { !$0.hasSuffix(".lock") } == before)
        #expect(try photos(description, isNew: false) == [.binary(photo)])
    }

    @Test("A copy that fails leaves no large values")
    func aFailedCopyLeavesNoValues() throws {
        let description = try makeStore("library.sqlite")
        let copy = PersistentStoreDescription.sqlite(folder.file("library.before-1.sqlite"))
        // The pages, which follow the values, cannot be written.
        try FileManager.default.createDirectory(
            atPath: copy.location + ".copying", withIntermediateDirectories: false)
        #expect(storeErrorCode { try description.type.copy(description, to: copy) } != nil)
        let left = try copies().filter { $0.contains("_SUPPORT") }
        #expect(left == [])
        #expect(try photos(description, isNew: false) == [.binary(photo)])
    }

    @Test("A copy that another process may be making is left to it")
    func aCopyInTheMakingIsLeft() throws {
        let model = Self.model(isNew: true)
        let description = PersistentStoreDescription.sqlite(folder.file("own.sqlite"))
        try description.open(model: model).close()
        let copy = description.location + PersistentStoreDescription.workingMark + ".copying"
        try Data([1]).write(to: URL(filePath: copy))
        let lock = try StoreFileLock(storePath: description.location, timeoutSeconds: 1)
        let store = try lock.withLock { () throws(StoreError) in
            try description.open(model: model)
        }
        #expect(FileManager.default.fileExists(atPath: copy))
        // It would wait for the lock.
        try store.close()
        try description.open(model: model).close()
        #expect(!FileManager.default.fileExists(atPath: copy))
    }
}
