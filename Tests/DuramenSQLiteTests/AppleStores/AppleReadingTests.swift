import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Rows of files that Core Data made.
@Suite struct AppleReadingTests {
    let folder = TemporaryFolder()

    // Books 1 to 4: by a person, by a poet, by nobody, by somebody who is gone. Book 5 has the
    // number of no entity, book 6 is written by a book.
    private func library() throws -> AppleStore {
        let writer = ArchiveWriter()
        let book = writer.entity(
            "Book",
            [
                writer.attribute("cover", 1000, [("NSFlagsKey", .integer(4))]),
                writer.attribute("title", 700),
                writer.relationship("author", "Person", inverse: "books"),
                writer.relationship("tags", "Tag", inverse: "items", isToMany: true),
            ])
        let person = writer.entity(
            "Person", [writer.relationship("books", "Book", inverse: "author", isToMany: true)])
        let poet = writer.entity("Poet", parent: person.1, [])
        let tag = writer.entity(
            "Tag", [writer.relationship("items", "Book", inverse: "tags", isToMany: true)])
        return try AppleStore(
            folder.file("library.sqlite"),
            entities: [("Book", 0), ("Person", 0), ("Poet", 2), ("Tag", 0)],
            cache: ArchiveWriter.packed(writer.model([book, person, poet, tag])),
            [
                "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZAUTHOR INTEGER, Z2_AUTHOR INTEGER, ZTITLE VARCHAR, ZCOVER BLOB)",
                "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
                "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
                // Named by the end with the higher number, and with digits behind a column's name.
                "CREATE TABLE Z_4ITEMS (Z_1ITEMS2 INTEGER, Z_4TAGS INTEGER, "
                    + "PRIMARY KEY (Z_1ITEMS2, Z_4TAGS))",
                "INSERT INTO ZPERSON VALUES (1, 2, 1), (2, 3, 1)",
                "INSERT INTO ZBOOK VALUES (1, 1, 1, 1, 2, 'a', NULL), (2, 1, 1, 2, 3, 'b', NULL), "
                    + "(3, 1, 1, NULL, NULL, 'c', NULL), (4, 1, 1, 99, 2, 'd', NULL), "
                    + "(5, 77, 1, 1, 2, 'e', NULL)",
                "INSERT INTO ZTAG VALUES (1, 4, 1), (2, 4, 1)",
                "INSERT INTO Z_4ITEMS VALUES (1, 1), (1, 2), (2, 2), (4, 50)",
            ])
    }

    private func rows(_ name: String, _ store: some PersistentStore) throws -> [Row] {
        let cursor = try store.snapshot().cursor(StoreQuery(entity: store.entity(name).id))
        var rows: [Row] = []
        while let batch = try cursor.next(maximumRows: 2) { rows += Array(batch) }
        return rows
    }

    @Test("A key that leads to no row reads as nil, and rows of unknown entities are skipped")
    func danglingKeysAreNil() throws {
        let store = try library().open()
        let entity = try store.entity("Book")
        guard case .relationship(let author)? = entity.property(named: "author") else {
            throw StoreError(.invalidRequest, "no author")
        }
        let books = try rows("Book", store)
        #expect(books.map(\.key) == [1, 2, 3, 4])
        let authors = books.map {
            $0.destination(of: author, in: store.model, store: store.handle)
        }
        let ids = try rows("Person", store).map {
            ManagedObjectID(
                store: store.handle, entity: store.model[$0.entityID].handle, key: $0.key)
        }
        #expect(authors == [ids[0], ids[1], nil, nil])
        // By key, alone and together, as by a cursor.
        let all = books.map {
            ManagedObjectID(store: store.handle, entity: entity.handle, key: $0.key)
        }
        for batch in try [store.snapshot().rows(for: [all[3]]), store.snapshot().rows(for: all)] {
            let last = try #require(Array(batch).last)
            #expect(last.destination(of: author, in: store.model, store: store.handle) == nil)
        }
        let fifth = ManagedObjectID(store: store.handle, entity: entity.handle, key: 5)
        #expect(try store.snapshot().rows(for: [fifth]).count == 0)
    }

    @Test("Conditions see a dangling key as nil too")
    func conditionsSeeNil() throws {
        let store = try library().open()
        let person = try store.entity("Person")
        func id(_ key: Int64, _ entity: String) throws -> StoredValue {
            .objectID(
                ManagedObjectID(
                    store: store.handle, entity: try store.entity(entity).handle, key: key))
        }
        let book = try store.entity("Book").id
        func keys(_ predicate: FetchPredicate) throws -> [Int64]? {
            try store.pushedKeys(StoreQuery(entity: book, predicate: predicate))
        }
        #expect(try keys(compare("author", .equal, .null)) == [3, 4])
        #expect(try keys(compare("author", .notEqual, .null)) == [1, 2])
        #expect(try keys(compare("author", .equal, id(1, "Person"))) == [1])
        #expect(try keys(compare("author", .equal, id(2, "Poet"))) == [2])
        #expect(try keys(compare("author", .equal, id(99, "Person"))) == [])
        #expect(try keys(compare("author", .isIn, [id(1, "Person"), id(99, "Person")])) == [1])
        #expect(try keys(.not(compare("author", .equal, id(1, "Person")))) == [2, 3, 4])
        // A tag stands for other bytes than the row shows.
        #expect(try keys(compare("cover", .equal, .null)) == nil)
        withExtendedLifetime(person) {}
    }

    @Test("Tables of pairs are found by either end's name, and columns with digits")
    func pairsAreFound() throws {
        let store = try library().open()
        let tags = try store.relationship("tags", of: "Book")
        let books = try store.snapshot().objectIDs(StoreQuery(entity: store.entity("Book").id))
        let found = try store.snapshot().destinations(of: tags, from: books)
        #expect(found.map { $0.map(\.key) } == [[1, 2], [2], [], []])
        let items = try store.relationship("items", of: "Tag")
        let all = try store.snapshot().objectIDs(StoreQuery(entity: store.entity("Tag").id))
        let back = try store.snapshot().destinations(of: items, from: all)
        #expect(back.map { $0.map(\.key) } == [[1], [1, 2]])
    }

    @Test("The report counts what dangles")
    func reportCounts() throws {
        let apple = try library()
        let report = try SQLiteStoreType().report(on: apple.description, checks: true)
        #expect(report.entities.map(\.rows) == [4, 1, 1, 2])
        #expect(report.entities.map(\.danglingReferences) == [1, 0, 0, 0])
        #expect(report.writer == "Core Data, framework 1344")
        #expect(report.userInfo == ["com.example.note": "kept"])
        #expect(
            report.findings == [
                "Book: 1 row(s) of its table have the number of no entity of it; left out"
            ])
    }

    // MARK: - Values in other files

    private func cover(_ value: [UInt8]) throws -> StoredValue {
        let apple = try library()
        try RawDatabase.run(
            apple.path, "UPDATE ZBOOK SET ZCOVER = \(AppleStore.blob(value)) WHERE Z_PK = 1")
        let store = try apple.open()
        defer { try? store.close() }
        let attribute = try #require(
            try store.entity("Book").attributes.first { $0.name == "cover" })
        return try rows("Book", store)[0].value(attribute.slot, attribute.kind)
    }

    private func support(_ name: String = ".library_SUPPORT") throws -> String {
        let path = folder.file(name) + "/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        return path
    }

    private func reference(_ name: String) -> [UInt8] { [2] + Array(name.utf8) + [0] }

    @Test("Inline values lose their tag")
    func inlineValues() throws {
        #expect(try cover([1, 7, 8]) == .binary(Data([7, 8])))
        try FileManager.default.removeItem(atPath: folder.file("library.sqlite"))
        #expect(try cover([1]) == .binary(Data()))
    }

    @Test("A value in a file of its own is read from there")
    func externalValues() throws {
        let name = UUID().uuidString
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        try bytes.write(to: URL(filePath: support() + "/" + name))
        #expect(try cover(reference(name)) == .binary(bytes))
    }

    @Test("What is missing, damaged or leads elsewhere reads as null and is counted")
    func unreadableValues() throws {
        let secret = folder.file("secret")
        try writeFile(secret, "secret")
        let name = UUID().uuidString
        try FileManager.default.createSymbolicLink(
            atPath: support() + "/" + name, withDestinationPath: secret)
        let path = "../../secret" + String(repeating: " ", count: 24)
        let values: [[UInt8]] = [
            reference(UUID().uuidString), reference(name), reference(path),
            reference("../../secret"), [2], [3, 1, 2], [],
        ]
        for value in values {
            #expect(try cover(value) == .null, "\(value)")
            let report = try SQLiteStoreType().report(
                on: .sqlite(folder.file("library.sqlite")), checks: true)
            let isReference = value.count == 38 && value[1] != UInt8(ascii: ".")
            #expect(report.entities[0].missingFiles == (isReference ? 1 : 0))
            try FileManager.default.removeItem(atPath: folder.file("library.sqlite"))
        }
    }

    @Test("A folder of values that is a link is not followed")
    func linkedFolders() throws {
        let elsewhere = folder.file("elsewhere")
        try FileManager.default.createDirectory(
            atPath: elsewhere + "/_EXTERNAL_DATA", withIntermediateDirectories: true)
        let name = UUID().uuidString
        try writeFile(elsewhere + "/_EXTERNAL_DATA/" + name, "secret")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(".library_SUPPORT"), withDestinationPath: elsewhere)
        #expect(try cover(reference(name)) == .null)
    }

    @Test("What is written into a store of Core Data's has its tag and stands in its folder")
    func valuesAreWritten() throws {
        let apple = try library()
        let name = UUID().uuidString
        let old = Data(repeating: 9, count: 300)
        try old.write(to: URL(filePath: support() + "/" + name))
        try RawDatabase.run(
            apple.path,
            "UPDATE ZBOOK SET ZCOVER = \(AppleStore.blob(reference(name))) WHERE Z_PK = 1")
        let description = PersistentStoreDescription.sqlite(apple.path).largestInlineValue(
            bytes: 100)
        let store = try description.open(model: apple.storedModel().model)
        defer { try? store.close() }
        let books = try store.snapshot().objectIDs(store.query("Book"))
        let new = Data(repeating: 8, count: 200)
        try store.saved(
            ChangeSet(updates: [
                store.update(books[1], ["cover": .binary(new)]),
                store.update(books[2], ["cover": .binary(Data([5]))]),
            ]))
        let covers = try books.prefix(3).map { try store.value($0, "cover") }
        #expect(covers == [.binary(old), .binary(new), .binary(Data([5]))])
        let inline = "SELECT COUNT(*) FROM ZBOOK WHERE ZCOVER = X'0105'"
        #expect(try RawDatabase.texts(apple.path, inline) == ["1"])
        // Nothing is removed: another store may share the folder.
        try store.saved(
            ChangeSet(updates: [
                store.update(books[0], ["cover": .null]), store.update(books[1], ["cover": .null]),
            ]))
        #expect(try store.maintainIfCapable().removedFiles == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: support())
        #expect(files.count == 2 && files.contains(name))
    }

    @Test(
        "A store with an order that the model does not know is not opened for writing",
        arguments: [true, false])
    func orderedStoresAreRefused(isOrdered: Bool) throws {
        let order = isOrdered ? "Z_FOK_BOOK INTEGER, " : ""
        let apple = try AppleStore(
            folder.file("pages.sqlite"), entities: [("Page", 0)], cache: nil,
            [
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + order + "ZTITLE VARCHAR)"
            ])
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Page", attributes: [AttributeDescription("title", .string, isOptional: true)]
            )
        ])
        let code = storeErrorCode {
            try PersistentStoreDescription.sqlite(apple.path).open(model: model).close()
        }
        #expect(code == (isOrdered ? .unsupported : nil))
    }

    @Test(
        "A store whose values would be JSON is not opened for writing",
        arguments: [nil, "NSKeyedUnarchiveFromData", "Unknown"])
    func transformersMustBeKnown(name: String?) throws {
        let apple = try AppleStore(
            folder.file("pages.sqlite"), entities: [("Page", 0)], cache: nil,
            [
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZWORDS BLOB)"
            ])
        var words = AttributeDescription.codable([String]?.self, name: "words", identifier: "Words")
        if let name { words = words.transformed(by: name) }
        let model = try ManagedObjectModel([
            EntityDescription(name: "Page", attributes: [words])
        ])
        let writing = PersistentStoreDescription.sqlite(apple.path)
        let code = storeErrorCode { try writing.open(model: model).close() }
        #expect(code == (name == "NSKeyedUnarchiveFromData" ? nil : .unsupported))
        try writing.readOnly().open(model: model).close()
    }

    @Test(
        "A constraint over a to-one is enforced where the file has Core Data's index",
        arguments: [true, false])
    func constraintsOverToOnes(isIndexed: Bool) throws {
        let apple = try AppleStore(
            folder.file("pages.sqlite"), entities: [("Book", 0), ("Page", 0)], cache: nil,
            [
                "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZNUMBER INTEGER, ZBOOK INTEGER)",
                "INSERT INTO ZBOOK VALUES (1, 1, 1)",
                "INSERT INTO ZPAGE VALUES (1, 2, 1, 7, 1), (2, 2, 1, 8, 1)",
            ]
                + (isIndexed
                    ? [
                        "CREATE UNIQUE INDEX Z_Page_UNIQUE_number_book ON ZPAGE "
                            + "(ZNUMBER COLLATE BINARY ASC, ZBOOK COLLATE BINARY ASC)"
                    ] : []))
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Book", relationships: [.toMany("pages", destination: "Page")]),
            EntityDescription(
                name: "Page", attributes: [AttributeDescription("number", .integer32)],
                relationships: [.toOne("book", destination: "Book", inverse: "pages")],
                uniquenessConstraints: [["number", "book"]]),
        ])
        let store = try PersistentStoreDescription.sqlite(apple.path).open(model: model)
        defer { try? store.close() }
        let constraints = Set(try store.entity("Page").uniquenessConstraints)
        #expect(try store.snapshot().unenforcedConstraints() == (isIndexed ? [] : constraints))
        let pages = try store.snapshot().objectIDs(store.query("Page"))
        let update = ChangeSet(updates: [try store.update(pages[1], ["number": .integer(7)])])
        guard isIndexed else {
            try store.saved(update)
            let findings = try StoreVerification(of: store).run()
            #expect(findings.map(\.kind) == [.uniqueness])
            #expect(findings.first?.message.contains("does not enforce") == true)
            return
        }
        guard case .conflicted(let conflicts) = try store.save(update), conflicts.count == 1,
            case .uniqueness(let conflict) = conflicts[0]
        else {
            Issue.record("expected a conflict")
            return
        }
        #expect(conflict.constraint.properties == ["number", "book"])
        #expect(conflict.id == pages[1] && conflict.otherID == pages[0])
        #expect(conflict.storedRow != nil)
    }

    /// Shelves of ordered books, friends, and albums of pictures that do not know them.
    private func kinds() throws -> (AppleStore, ManagedObjectModel) {
        let apple = try AppleStore(
            folder.file("kinds.sqlite"), entities: [("Novel", 3), ("Person", 0), ("Book", 0)],
            cache: nil,
            [
                "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZOWNER INTEGER, Z3SEQUELS INTEGER, Z_FOK_OWNER INTEGER)",
                "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
                "CREATE TABLE Z_2FRIENDS (Z_2FRIENDS INTEGER, REFLEXIVE INTEGER, "
                    + "PRIMARY KEY (Z_2FRIENDS, REFLEXIVE))",
                "INSERT INTO ZPERSON VALUES (1, 2, 1), (2, 2, 1), (3, 2, 1)",
                "INSERT INTO ZBOOK VALUES (1, 3, 1, 1, NULL, 4096), (2, 1, 1, 1, 3, 2048), "
                    + "(3, 1, 1, 1, NULL, 3072), (4, 3, 1, NULL, 3, NULL)",
                "INSERT INTO Z_2FRIENDS VALUES (1, 2), (3, 3)",
            ])
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Book",
                relationships: [
                    .toOne("owner", destination: "Person", inverse: "books"),
                    .toMany("sequels", destination: "Book"),
                ]),
            EntityDescription(name: "Novel", superentity: "Book"),
            EntityDescription(
                name: "Person",
                relationships: [
                    .toMany("books", destination: "Book", isOrdered: true),
                    .toMany("friends", destination: "Person", inverse: "friends"),
                ]),
        ])
        return (apple, model)
    }

    @Test("Orders, own inverses and to-manys without inverses are read as Core Data wrote them")
    func relationshipKindsAreRead() throws {
        let (apple, model) = try kinds()
        let store = try apple.description.open(model: model)
        let snapshot: any StoreSnapshot = try store.snapshot()
        func members(_ name: String, _ key: Int64) throws -> [Int64] {
            let relationship = try #require(model.relationships.first { $0.name == name })
            let entity =
                name == "sequels" ? "Novel" : model[relationship.declaringEntity].name
            let id = ManagedObjectID(
                store: store.handle, entity: EntityHandle(name: entity), key: key)
            return relationship.isOrdered
                ? try snapshot.orderedDestinations(of: relationship.id, from: [id])[0]
                    .map(\.id.key)
                : try snapshot.destinations(of: relationship.id, from: [id])[0].map(\.key)
        }
        #expect(try members("books", 1) == [2, 3, 1])
        #expect(try members("friends", 1) == [2])
        #expect(try members("friends", 2) == [1])
        #expect(try members("friends", 3) == [3])
        #expect(try members("sequels", 3) == [2, 4])
        // The owner's entity is found by its key.
        let back = try #require(model.relationships.first { $0.name == ".Book.sequels" })
        let book = ManagedObjectID(
            store: store.handle, entity: EntityHandle(name: "Book"), key: 4)
        let row = try #require(try snapshot.row(for: book))
        let own = try #require(model[row.entityID].relationship(back.id))
        #expect(row.destination(of: own, in: model, store: store.handle)?.entityName == "Novel")
        let query = StoreQuery(
            entity: try #require(model.entity(named: "Book")).id,
            predicate: .quantified(.any, keyPath: ["sequels"], .constant(true)))
        #expect(store.pushdown(for: query).residual == nil)
        #expect(try snapshot.objectIDs(query).map(\.key) == [3])
        try store.close()
    }

    @Test(
        "A store without the column that a reference to a sub-entity needs is not opened for writing"
    )
    func missingColumnsAreRefused() throws {
        let (apple, model) = try kinds()
        let code = storeErrorCode {
            try PersistentStoreDescription.sqlite(apple.path).open(model: model).close()
        }
        #expect(code == .unsupported)
    }

    @Test("Reading changes no byte of the file")
    func nothingIsWritten() throws {
        let apple = try library()
        let before = FileManager.default.contents(atPath: apple.path)
        let store = try apple.open()
        _ = try rows("Book", store)
        try store.close()
        _ = try SQLiteStoreType().report(on: apple.description, checks: true)
        #expect(FileManager.default.contents(atPath: apple.path) == before)
    }
}
