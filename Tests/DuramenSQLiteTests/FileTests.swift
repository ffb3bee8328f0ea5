import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@Suite struct FileTests {
    let folder = TemporaryFolder()

    @Test func wrongFilesAreTypedErrorsAndStayUntouched() throws {
        #expect(
            storeErrorCode { try Library.open(folder.path + "/no/such.sqlite") } == .folderMissing)
        #expect(storeErrorCode { try Library.open(folder.path) } == .foreignFile)
        let text = folder.file("notes.txt")
        let words = Data("not a database at all, only some words".utf8)
        try words.write(to: URL(fileURLWithPath: text))
        #expect(storeErrorCode { try Library.open(text) } == .foreignFile)
        #expect(try Data(contentsOf: URL(fileURLWithPath: text)) == words)
        let other = folder.file("other.sqlite")
        try RawDatabase.run(other, "CREATE TABLE a (b)")
        let before = try Data(contentsOf: URL(fileURLWithPath: other))
        #expect(storeErrorCode { try Library.open(other) } == .foreignFile)
        #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == before)
        #expect(!FileManager.default.fileExists(atPath: other + ".lock"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: text)
        #expect(storeErrorCode { try Library.open(folder.file("link")) } == .foreignFile)
    }

    @Test func aPathThatNamesNoFileIsRefused() throws {
        for location in ["", "a\0b"] {
            let description = PersistentStoreDescription.sqlite(location)
            #expect(
                storeErrorCode { try description.open(model: Library.model) } == .invalidRequest)
            #expect(
                storeErrorCode { try description.type.metadata(of: description) } == .invalidRequest
            )
            #expect(storeErrorCode { try description.type.destroy(description) } == .invalidRequest)
        }
    }

    @Test(arguments: [Double.infinity, .nan, -1, 1e300])
    func anyTimeOutIsTaken(seconds: Double) throws {
        let description = PersistentStoreDescription.sqlite(folder.file()).timeout(seconds: seconds)
        let store = try description.open(model: Library.model)
        try store.insert("Tag")
        try store.close()
    }

    @Test func aFileCutShortIsCalledDamaged() throws {
        let store = try Library.open(folder.file())
        try store.insert("Tag")
        try store.close()
        let url = URL(fileURLWithPath: folder.file())
        let data = try Data(contentsOf: url)
        try data.prefix(data.count / 2).write(to: url)
        #expect(storeErrorCode { try Library.open(folder.file()) } == .damagedFile)
        try data.prefix(60).write(to: url)
        #expect(storeErrorCode { try Library.open(folder.file()) } == .damagedFile)
    }

    /// As the power leaves it when it fails while the first page is written.
    @Test func aStoreHalfMadeIsMadeAnew() throws {
        let path = folder.file()
        try Data(repeating: 0, count: 3_584).write(to: URL(fileURLWithPath: path))
        #expect(storeErrorCode { try Library.open(path) } == .foreignFile)
        // Magic, no pages, a nonce, an empty file before, sectors of 512 bytes, pages of 4 096
        // (fileformat2.html).
        var journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        for word in [0, 0x1234_5678, 0, 512, 4_096] as [UInt32] {
            journal += withUnsafeBytes(of: word.bigEndian) { Array($0) }
        }
        journal += repeatElement(0, count: 512 - journal.count)
        try Data(journal).write(to: URL(fileURLWithPath: path + "-journal"))
        let store = try Library.open(path)
        try store.insert("Tag")
        #expect(try store.snapshot().count(store.query("Tag")) == 1)
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
    }

    /// As a process leaves it that is killed while it writes without a log.
    @Test func aHalfWrittenStoreIsReadAsItWasBefore() throws {
        let path = folder.file("written.sqlite")
        let store = try Library.open(path)
        try store.insert("Tag", all: (0..<1_000).map { _ in ["label": .text("before")] })
        try store.close()
        var handle: OpaquePointer?
        // Changed pages go into the file at once.
        try RawDatabase.hold(
            path, &handle,
            "PRAGMA journal_mode=DELETE; PRAGMA cache_size=1; BEGIN IMMEDIATE; "
                + "UPDATE ZTAG SET ZLABEL = 'during'; SELECT count(*) FROM ZTAG;")
        let left = folder.file("left.sqlite")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix)
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: left))
        #expect(bytes.range(of: Data("during".utf8)) != nil)
        RawDatabase.release(handle)
        let read = try PersistentStoreDescription.sqlite(left).readOnly()
            .open(model: Library.model)
        let rows = try read.snapshot().cursor(read.pushdown(for: read.query("Tag")).pushed)
        var labels: Set<String> = []
        let slot = try #require(try read.entity("Tag").attributes.first?.slot)
        while let batch = try rows.next(maximumRows: 100) {
            for row in batch { labels.insert(row.string(slot)) }
        }
        #expect(labels == ["before"])
        try read.close()
    }

    @Test func aStoreWithoutALogIsReadAndGetsNone() throws {
        let path = folder.file("plain.sqlite")
        let store = try Library.open(path)
        try store.insert("Tag")
        try store.close()
        try RawDatabase.run(path, "PRAGMA journal_mode=DELETE")
        let read = try PersistentStoreDescription.sqlite(path).readOnly()
            .open(model: Library.model)
        for _ in 0..<2 { #expect(try read.snapshot().count(read.query("Tag")) == 1) }
        try read.close()
        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: path + suffix), "\(suffix)")
        }
    }

    @Test func anEmptyFileIsWhereAStoreIsMade() throws {
        try Data().write(to: URL(fileURLWithPath: folder.file()))
        let store = try Library.open(folder.file())
        try store.insert("Tag")
        try store.close()
    }

    @Test func onlyTheOwnerMayReadANewStore() throws {
        let store = try Library.open(folder.file())
        try store.insert("Tag")
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder.file() + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
        try store.close()
    }

    @Test func anotherVersionOfTheModelIsRefusedByName() throws {
        try Library.open(folder.file()).close()
        let model = Library.makeModel(extra: [
            AttributeDescription("added", .string, isOptional: true)
        ])
        let error = #expect(throws: StoreError.self) {
            try SQLiteStoreType().open(.sqlite(folder.file()), model: model)
        }
        #expect(error?.code == .incompatibleModel)
        #expect(error?.message.contains("'Book'") == true)
        #expect(error?.message.contains("'Tag'") == false)
    }

    @Test func aNewerFormatIsRefused() throws {
        try Library.open(folder.file()).close()
        let hex = try RawDatabase.texts(folder.file(), "SELECT hex(Z_PLIST) FROM Z_METADATA")
        var bytes: [UInt8] = []
        var rest = try #require(hex.first)[...]
        while !rest.isEmpty {
            bytes.append(try #require(UInt8(rest.prefix(2), radix: 16)))
            rest = rest.dropFirst(2)
        }
        var list = try #require(
            PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any]
        )
        var own = try #require(list["DuramenFormat"] as? [String: Any])
        own["version"] = 99
        list["DuramenFormat"] = own
        let data = try PropertyListSerialization.data(
            fromPropertyList: list, format: .binary, options: 0)
        let text = data.map { String(format: "%02x", $0) }.joined()
        try RawDatabase.run(folder.file(), "UPDATE Z_METADATA SET Z_PLIST = x'\(text)'")
        #expect(storeErrorCode { try Library.open(folder.file()) } == .newerFormat)
    }

    @Test func aStoreForReadingRefusesToWriteAndIsNeverMade() throws {
        let description = PersistentStoreDescription.sqlite(folder.file()).readOnly()
        #expect(storeErrorCode { try description.open(model: Library.model) } == .storeMissing)
        let store = try Library.open(folder.file())
        let id = try store.insert("Tag", ["label": .text("x")])
        let reading = try description.open(model: Library.model)
        #expect(try reading.value(id, "label") == .text("x"))
        #expect(storeErrorCode { try reading.insert("Tag") } == .readOnly)
        try reading.close()
        try store.close()
        let alone = try description.open(model: Library.model)
        #expect(try alone.value(id, "label") == .text("x"))
        try alone.close()
    }

    @Test func aMovedFileEndsWritingNotReading() throws {
        let store = try Library.open(folder.file())
        let id = try store.insert("Tag", ["label": .text("x")])
        let snapshot = try store.snapshot()
        try FileManager.default.moveItem(atPath: folder.file(), toPath: folder.file("moved"))
        #expect(storeErrorCode { try store.insert("Tag") } == .storeFileMoved)
        #expect(try snapshot.rows(for: [id]).count == 1)
        #expect(
            storeErrorCode {
                _ = try store.snapshot()
                try store.insert("Tag")
            } == .storeFileMoved)
        try store.close()
    }

    @Test func aClosedStoreSaysSo() throws {
        let store = try Library.open(folder.file())
        try store.close()
        try store.close()
        #expect(storeErrorCode { try store.insert("Tag") } == .closed)
        #expect(storeErrorCode { try store.metadata() } == .closed)
    }

    @Test func twoOpenStoresOfOneFileSeeEachOther() throws {
        let first = try Library.open(folder.file())
        let second = try Library.open(folder.file())
        let id = try first.insert("Tag", ["label": .text("x")])
        #expect(try second.value(id, "label") == .text("x"))
        let other = try second.insert("Tag")
        #expect(other.key != id.key)
        try first.close()
        #expect(try second.value(id, "label") == .text("x"))
        try second.close()
    }

    @Test func aHeldWriteLockIsBusyAtTheDeadline() throws {
        let store = try Library.open(folder.file(), timeoutSeconds: 0.2)
        try store.insert("Tag")
        let snapshot = try store.snapshot()
        var handle: OpaquePointer?
        try RawDatabase.hold(folder.file(), &handle)
        #expect(storeErrorCode { try store.insert("Tag") } == .storeBusy)
        RawDatabase.release(handle)
        try store.insert("Tag")
        _ = snapshot.generation
        try store.close()
    }

    @Test func closingAloneLeavesOneFileWithEverything() throws {
        let store = try Library.open(folder.file())
        try store.insert("Tag")
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: folder.file() + "-wal"))
        #expect(try RawDatabase.texts(folder.file(), "SELECT COUNT(*) FROM ZTAG") == ["1"])
        #expect(try RawDatabase.texts(folder.file(), "PRAGMA integrity_check") == ["ok"])
    }

    @Test func administrationWorksWithoutAModel() throws {
        let type = SQLiteStoreType()
        let description = PersistentStoreDescription.sqlite(folder.file()).timeout(seconds: 0.2)
        let store = try Library.open(folder.file())
        let id = try store.insert("Tag", ["label": .text("x")])
        #expect(storeErrorCode { try type.destroy(description) } == .storeBusy)
        let copy = PersistentStoreDescription.sqlite(folder.file("copy.sqlite"))
        try type.copy(description, to: copy)
        #expect(storeErrorCode { try type.copy(description, to: copy) } == .invalidRequest)
        try type.setUserInfo(["a": .integer(1)], of: description)
        #expect(try store.metadata().userInfo == ["a": .integer(1)])
        let found = try type.metadata(of: description)
        #expect(found.modelChecksum == Library.model.versionChecksum)
        try store.close()
        try type.destroy(description)
        try type.destroy(description)
        #expect(!FileManager.default.fileExists(atPath: folder.file()))
        let copied = try copy.open(model: Library.model)
        #expect(try copied.value(id, "label") == .text("x"))
        try copied.close()
    }

    @Test func theLayoutIsThatOfCoreData() throws {
        try Library.open(folder.file()).close()
        let tables = try RawDatabase.texts(
            folder.file(), "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        #expect(
            tables == [
                "DURAMEN_DECIMAL", "DURAMEN_MODEL", "DURAMEN_SAVE", "ZBOOK", "ZPERSON", "ZTAG",
                "Z_1TAGS", "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY",
            ])
        #expect(
            try RawDatabase.texts(folder.file(), "SELECT name FROM pragma_table_info('ZBOOK')") == [
                "Z_PK", "Z_ENT", "Z_OPT", "ZISLENT", "ZPAGES", "ZAUTHOR", "Z2_AUTHOR", "ZPRINTED",
                "ZRATING", "ZPRICE", "ZCODE", "ZLINK", "ZTITLE", "ZISBN", "ZCOVER",
            ])
        let indexes = try RawDatabase.texts(
            folder.file(),
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
        #expect(
            indexes == [
                "ZBOOK_ZAUTHOR_INDEX", "ZPERSON_Z_ENT_INDEX", "Z_1TAGS_Z_4TAGS_INDEX",
                "Z_Book_UNIQUE_code", "Z_Book_by_title", "Z_Poet_UNIQUE_number",
            ])
        #expect(
            try RawDatabase.texts(
                folder.file(), "SELECT Z_NAME || Z_ENT || Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
                == ["Book10", "Person20", "Poet32", "Tag40"])
        #expect(try RawDatabase.texts(folder.file(), "PRAGMA auto_vacuum") == ["2"])
    }

    @Test func oddClassesInAFileAreConvertedAndForeignRowsSkipped() throws {
        let store = try Library.open(folder.file())
        let id = try store.insert("Book", ["title": .text("x")])
        try store.close()
        try RawDatabase.run(
            folder.file(),
            """
            UPDATE ZBOOK SET ZPRINTED = 5, ZISLENT = 7, ZPAGES = 2.9, ZRATING = 'oops', ZISBN = x'01',
                ZPRICE = 'none', Z_OPT = NULL, ZCOVER = 'text';
            INSERT INTO ZBOOK (Z_PK, Z_ENT) VALUES (77, 4242);
            """)
        let reopened = try Library.open(folder.file())
        #expect(
            try reopened.value(id, "printed") == .date(Date(timeIntervalSinceReferenceDate: 5)))
        #expect(try reopened.value(id, "isLent") == .boolean(true))
        #expect(try reopened.value(id, "isbn") == .null)
        #expect(try reopened.value(id, "price") == .null)
        #expect(try reopened.value(id, "rating") == .double(0))
        #expect(try reopened.pushedKeys(reopened.query("Book")) == [id.key])
        let receipt = try reopened.saved(
            ChangeSet(updates: [try reopened.update(id, ["title": .text("y")])]))
        #expect(receipt.updatedVersions.count == 1)
        #expect(try reopened.insert("Book").key > 77)
        try reopened.close()
    }
}
