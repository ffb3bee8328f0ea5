import DuramenModel
import DuramenSQLite
import DuramenStore
import StoreTestSupport
import Testing

/// The table in which stores of our own keep their models.
@Suite struct ModelTableTests {
    private let folder = TemporaryFolder()

    private func open() throws {
        try PersistentStoreDescription.sqlite(folder.file("store.sqlite"))
            .open(model: Library.model).close()
    }

    private func kept() throws -> ManagedObjectModel {
        try SQLiteStoreType().storedModel(of: .sqlite(folder.file("store.sqlite"))).model
    }

    @Test func theArchiveIsPackedUnderItsChecksum() throws {
        try open()
        let path = folder.file("store.sqlite")
        let names = try RawDatabase.texts(path, "SELECT ZCHECKSUM FROM DURAMEN_MODEL")
        #expect(names == [Library.model.versionChecksum])
        let bytes = try RawDatabase.texts(path, "SELECT length(ZARCHIVE) FROM DURAMEN_MODEL")
        #expect((bytes.first.flatMap { Int($0) } ?? .max) < Library.model.archived().count / 2)
        #expect(try kept().archived() == Library.model.archived())
    }

    @Test(arguments: ["X'00FF00'", "NULL", "'text'", "zeroblob(100)", "X'4B4C0400'"])
    func aDamagedArchiveIsAnErrorAndIsWrittenAnew(damage: String) throws {
        try open()
        try RawDatabase.run(
            folder.file("store.sqlite"), "UPDATE DURAMEN_MODEL SET ZARCHIVE = \(damage)")
        #expect(storeErrorCode { try kept() } == .damagedFile)
        try open()
        #expect(try kept().archived() == Library.model.archived())
    }

    @Test(arguments: ["DROP TABLE DURAMEN_MODEL", "DELETE FROM DURAMEN_MODEL"])
    func aMissingArchiveIsWrittenAnew(damage: String) throws {
        try open()
        try RawDatabase.run(folder.file("store.sqlite"), damage)
        #expect(storeErrorCode { try kept() } == .modelMissing)
        try open()
        #expect(try kept().archived() == Library.model.archived())
    }
}
