import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Reports about migrations, as far as they are about a file of SQLite: its columns, indexes,
/// statements. Names begin with the number of the report.
@Suite struct ReportedMigrationTests {
    let folder = TemporaryFolder()

    private var description: PersistentStoreDescription {
        .sqlite(folder.file()).durability(.unsafeNoSync).timeout(seconds: 0.2)
    }

    private func text(_ name: String, was identifier: String? = nil) -> AttributeDescription {
        AttributeDescription(name, .string, isOptional: true, renamingIdentifier: identifier)
    }

    private func book(
        _ attributes: [AttributeDescription], modifier: String? = nil,
        indexes: [IndexDescription] = [], unique: [[String]] = []
    ) -> ManagedObjectModel {
        testModel([
            EntityDescription(
                name: "Book", versionHashModifier: modifier, attributes: attributes,
                uniquenessConstraints: unique, indexes: indexes)
        ])
    }

    private func fill(_ model: ManagedObjectModel, _ rows: [[String: StoredValue]]) throws {
        let store = try description.open(model: model)
        try store.insert("Book", all: rows)
        try store.close()
    }

    private func texts(_ sql: String) throws -> [String] {
        try RawDatabase.texts(folder.file(), sql)
    }

    /// How tables and indexes were made, by their names.
    private func definitions(of path: String? = nil) throws -> [String] {
        try RawDatabase.texts(
            path ?? folder.file(),
            "SELECT name || ': ' || coalesce(sql, '') FROM sqlite_master ORDER BY name")
    }

    // MARK: - B19

    /// Boxes that refer to parts or, as the target says, to things of any kind.
    private func boxes(_ target: String, partsHaveChildren: Bool) -> ManagedObjectModel {
        testModel(
            [
                EntityDescription(
                    name: "Box", relationships: [.toOne("target", destination: target)]),
                EntityDescription(name: "Thing", attributes: [text("name")]),
                EntityDescription(name: "Other", superentity: "Thing"),
                EntityDescription(name: "Part", superentity: "Thing"),
            ]
                + (partsHaveChildren ? [EntityDescription(name: "Screw", superentity: "Part")] : [])
        )
    }

    private func companions() throws -> [String] {
        try texts("SELECT name FROM pragma_table_info('ZBOX') ORDER BY name")
            .filter { $0.hasSuffix("_TARGET") }
    }

    @Test(
        "B19: The entity of each destination is in its column when that becomes the parent",
        arguments: [false, true])
    func b19TheCompanionIsFilledForEveryRow(partsHaveChildren: Bool) throws {
        let store = try description.open(
            model: boxes("Part", partsHaveChildren: partsHaveChildren))
        var expected: [String] = []
        for number in 1...60 {
            let entity = partsHaveChildren && number % 2 == 0 ? "Screw" : "Part"
            let part = try store.insert(entity)
            let isEmpty = number % 3 == 0
            try store.insert("Box", isEmpty ? [:] : ["target": .objectID(part)])
            expected.append(isEmpty ? "none" : entity)
        }
        try store.close()
        // By the number of the destination.
        #expect(try companions() == (partsHaveChildren ? ["Z4_TARGET"] : []))

        try description.open(model: boxes("Thing", partsHaveChildren: partsHaveChildren)).close()
        #expect(try companions() == ["Z2_TARGET"])
        let entities = try texts(
            "SELECT coalesce(p.Z_NAME, 'none') FROM ZBOX AS b LEFT JOIN Z_PRIMARYKEY AS p "
                + "ON p.Z_ENT = b.Z2_TARGET ORDER BY b.Z_PK")
        #expect(entities == expected)
        let wrong = try texts(
            "SELECT count(*) FROM ZBOX AS b LEFT JOIN ZTHING AS t ON t.Z_PK = b.ZTARGET "
                + "WHERE b.Z2_TARGET IS NOT t.Z_ENT")
        #expect(wrong == ["0"])
    }

    // MARK: - B20

    @Test("B20: A hop of a hash modifier alone makes and drops no table, column or index")
    func b20ATouchHopChangesNoTable() throws {
        try fill(
            book([text("title")], indexes: [IndexDescription("title")]), [["title": .text("a")]])
        let before = try definitions()
        let rows = try texts("SELECT Z_PK || Z_ENT || Z_OPT || ZTITLE FROM ZBOOK")
        for modifier in ["2", "3"] {
            try description.open(
                model: book(
                    [text("title")], modifier: modifier, indexes: [IndexDescription("title")])
            ).close()
            // The list of the model's changes is made with the first one.
            #expect(
                try definitions().filter { !$0.hasPrefix("DURAMEN_EPOCH:") } == before)
            #expect(try texts("SELECT Z_PK || Z_ENT || Z_OPT || ZTITLE FROM ZBOOK") == rows)
        }
        #expect(try texts("SELECT count(*) FROM DURAMEN_EPOCH") == ["2"])
    }

    @Test(
        "B20: An index that is in the file already, in whatever form, stops no migration",
        arguments: ["ZBOOK(ZTITLE)", "ZBOOK(ZPAGES DESC)", "ZBOOK(Z_OPT) WHERE Z_OPT > 1"])
    func b20IndexesAreRepaired(target: String) throws {
        let attributes = [
            text("title"), AttributeDescription("pages", .integer32, isOptional: true),
        ]
        try fill(book(attributes), [["title": .text("b")], ["title": .text("a")]])
        let new = book(attributes, modifier: "2", indexes: [IndexDescription("title")])
        let fresh = folder.file("fresh.sqlite")
        try PersistentStoreDescription.sqlite(fresh).open(model: new).close()
        let wanted = try RawDatabase.texts(
            fresh, "SELECT sql FROM sqlite_master WHERE name = 'Z_Book_by_title'")
        #expect(wanted.count == 1)

        try RawDatabase.run(folder.file(), "CREATE INDEX Z_Book_by_title ON \(target)")
        for _ in 0..<2 {
            let store = try description.open(model: new)
            let sorted = try store.query("Book", sort: [FetchSortDescriptor("title")])
            #expect(try store.keys(sorted) == [2, 1])
            try store.close()
            let indexes = try texts(
                "SELECT sql FROM sqlite_master WHERE tbl_name = 'ZBOOK' AND type = 'index'")
            #expect(indexes == wanted)
        }
        #expect(try texts("PRAGMA integrity_check") == ["ok"])
    }

    // MARK: - B23

    @Test("B23: A migrated file has the tables, columns and indexes of a new file, and no other")
    func b23NamesFollowFromTheModel() throws {
        func model(_ isNew: Bool) -> ManagedObjectModel {
            func name(_ old: String, _ new: String) -> String { isNew ? new : old }
            func was(_ old: String) -> String? { isNew ? old : nil }
            return testModel([
                EntityDescription(
                    name: name("Book", "Booklet"), renamingIdentifier: was("Book"),
                    attributes: [
                        text(name("title", "label"), was: was("title")), text(name("old", "new")),
                    ],
                    relationships: [
                        .toMany(
                            name("tags", "marks"), destination: "Tag",
                            inverse: name("books", "volumes"), isOrdered: true,
                            renamingIdentifier: was("tags")),
                        .toOne(
                            name("author", "writer"), destination: "Person",
                            inverse: name("works", "opera"), renamingIdentifier: was("author")),
                    ], uniquenessConstraints: [[name("title", "label")]],
                    indexes: [IndexDescription(name("author", "writer"), name("title", "label"))]),
                EntityDescription(
                    name: "Person", attributes: [text("name")],
                    relationships: [
                        .toMany(
                            name("works", "opera"), destination: name("Book", "Booklet"),
                            isOrdered: true, renamingIdentifier: was("works"))
                    ], indexes: isNew ? [] : [IndexDescription("name")]),
                EntityDescription(
                    name: "Tag",
                    relationships: [
                        .toMany(
                            name("books", "volumes"), destination: name("Book", "Booklet"),
                            renamingIdentifier: was("books"))
                    ]),
            ])
        }
        /// Columns by table, and what tables and indexes there are.
        func shape(_ path: String) throws -> [String] {
            try RawDatabase.texts(
                path,
                "SELECT m.type || ' ' || m.name || ' ' || coalesce(c.name || ' ' || c.type, '') "
                    + "FROM sqlite_master AS m LEFT JOIN pragma_table_info(m.name) AS c "
                    + "WHERE m.sql IS NOT NULL AND m.name <> 'DURAMEN_EPOCH' ORDER BY 1")
        }
        let store = try description.open(model: model(false))
        let person = try store.insert("Person", ["name": .text("p")])
        let book = try store.insert("Book", ["title": .text("a"), "author": .objectID(person)])
        // Makes the index behind the way back.
        _ = try store.snapshot().destinations(
            of: store.relationship("works", of: "Person"), from: [person])
        try store.close()
        var policy = MigrationPolicy()
        policy.notRenamed = ["Booklet.new"]
        let migrated = try description.migrating(policy).open(model: model(true))
        let back = try migrated.snapshot().destinations(
            of: migrated.relationship("opera", of: "Person"), from: [person])
        #expect(back.map { $0.map(\.key) } == [[book.key]])
        try migrated.close()

        let fresh = try PersistentStoreDescription.sqlite(folder.file("fresh.sqlite"))
            .open(model: model(true))
        let other = try fresh.insert("Person")
        _ = try fresh.snapshot().destinations(
            of: fresh.relationship("opera", of: "Person"), from: [other])
        try fresh.close()
        let (found, wanted) = (try shape(folder.file()), try shape(folder.file("fresh.sqlite")))
        // Numbers of entities, which are part of names, are the same in both orders of names.
        #expect(found == wanted)
    }

    // MARK: - B28

    @Test("B28: No column is filled with the name of one, in place or in a table of its own")
    func b28NoColumnIsFilledWithItsName() throws {
        let names = ["title", "ZTITLE", "t", "select", "a\"b", "Z_PK", "DURAMEN_0"]
        let number = AttributeDescription("number", .integer32, isOptional: true)
        let old = testModel(
            [EntityDescription(name: "Root")]
                + ["Book", "Note"].map { entity in
                    EntityDescription(
                        name: entity, superentity: "Root",
                        attributes: names.map { text("\(entity) \($0)") } + [number])
                })
        // The parent goes: one entity keeps the table, and the rows of the other move to a new one.
        let new = testModel(
            ["Book", "Note"].map { entity in
                EntityDescription(
                    name: entity,
                    attributes: names.enumerated().map { place, name in
                        text("x\(place)", was: "\(entity) \(name)")
                    } + [
                        AttributeDescription("number", .double, isOptional: true),
                        AttributeDescription("rank", .integer32, default: .integer(4)),
                        text("added"),
                    ])
            })
        let store = try description.open(model: old)
        try store.insert("Book", all: [["number": .integer(1)], [:]])
        try store.insert("Note", all: [["number": .integer(3)], [:]])
        try store.close()
        try description.open(model: new).close()
        for (table, filled) in [("ZBOOK", "1.0"), ("ZNOTE", "3.0")] {
            let columns = try texts(
                "SELECT name FROM pragma_table_info('\(table)') WHERE type = 'VARCHAR'")
            #expect(columns.count == names.count + 1)
            for column in columns {
                let count = "SELECT count(t.\(column)) FROM \(table) AS t"
                #expect(try texts(count) == ["0"])
            }
            #expect(try texts("SELECT ZNUMBER FROM \(table) ORDER BY Z_PK") == [filled, "NULL"])
            #expect(try texts("SELECT ZRANK FROM \(table)") == ["4", "4"])
        }
    }

    // MARK: - B29

    @Test(
        "B29: A missing table or column is damage, which is not mended silently",
        arguments: ["DROP TABLE ZTAG", "ALTER TABLE ZTAG DROP COLUMN ZLABEL", "DROP TABLE Z_1TAGS"])
    func b29AMissingTableIsDamage(damage: String) throws {
        let library = folder.file()
        let store = try Library.open(library)
        try store.insert("Tag", ["label": .text("a")])
        try store.insert("Book", ["title": .text("b")])
        try store.close()
        try RawDatabase.run(library, damage)
        let before = try definitions()
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) {
                try PersistentStoreDescription.sqlite(library).open(model: Library.model)
            }
            #expect(error?.code == .damagedFile)
            #expect(error?.message.contains(damage.contains("TAGS") ? "'Book'" : "'Tag'") == true)
            #expect(try definitions() == before)
        }
        #expect(try texts("SELECT ZTITLE FROM ZBOOK") == ["b"])
        // It is added when somebody asks for it, and empty.
        let added = try SQLiteStoreType().repairSchema(of: description, model: Library.model)
        #expect(added.count == 1 && added[0].contains(damage.contains("TAGS") ? "Z_1TAGS" : "ZTAG"))
        #expect(try SQLiteStoreType().repairSchema(of: description, model: Library.model) == [])
        let mended = try Library.open(library)
        #expect(try mended.snapshot().count(mended.query("Book")) == 1)
        let labels = damage.contains("ZTAG") ? [] : ["a"]
        #expect(try texts("SELECT t.ZLABEL FROM ZTAG AS t WHERE t.ZLABEL IS NOT NULL") == labels)
        #expect(try StoreVerification(of: mended).run() == [])
        try mended.close()
    }

    // MARK: - B30

    @Test("B30: A to-one that goes leaves no column, companion, order or index")
    func b30NothingOfAToOneIsLeft() throws {
        func model(isRelated: Bool) -> ManagedObjectModel {
            testModel([
                EntityDescription(
                    name: "Item", attributes: [text("name")],
                    relationships: isRelated
                        ? [
                            .toOne("shelf", destination: "Shelf", inverse: "items"),
                            .toMany("tags", destination: "Shelf", inverse: "tagged"),
                        ] : [],
                    indexes: isRelated ? [IndexDescription("shelf", "name")] : []),
                EntityDescription(
                    name: "Shelf",
                    relationships: isRelated
                        ? [
                            .toMany("items", destination: "Item", isOrdered: true),
                            .toMany("tagged", destination: "Item"),
                        ] : []),
                EntityDescription(name: "Deep", superentity: "Shelf"),
            ])
        }
        let store = try description.open(model: model(isRelated: true))
        let shelf = try store.insert("Deep")
        let item = try store.insert(
            "Item", ["name": .text("a"), "shelf": .objectID(shelf), "shelf.order": .integer(3)])
        try store.saved(
            ChangeSet(edges: [
                EdgeChange(
                    relationship: try store.relationship("tags", of: "Item"),
                    added: [.init(from: item, to: shelf)])
            ]))
        _ = try store.snapshot().destinations(
            of: store.relationship("items", of: "Shelf"), from: [shelf])
        try store.close()
        let all = try texts(
            "SELECT name FROM pragma_table_info('ZITEM') WHERE name LIKE '%SHELF%' ORDER BY name")
        #expect(all.count == 3)
        #expect(
            try definitions().filter { $0.contains("SHELF_INDEX") || $0.contains("TAGS") }.count
                >= 2)

        try description.open(model: model(isRelated: false)).close()
        #expect(
            try texts("SELECT name FROM pragma_table_info('ZITEM') ORDER BY name")
                == ["ZNAME", "Z_ENT", "Z_OPT", "Z_PK"])
        let rest = try texts(
            "SELECT name FROM sqlite_master WHERE name LIKE '%ITEM%' OR name LIKE '%SHELF%' "
                + "OR name LIKE '%TAG%' OR name LIKE 'DURAMEN_OLD%' ORDER BY name")
        #expect(rest == ["ZITEM", "ZSHELF", "ZSHELF_Z_ENT_INDEX"])
        #expect(try texts("SELECT ZNAME FROM ZITEM") == ["a"])
        #expect(try texts("SELECT count(*) FROM ZSHELF") == ["1"])
    }
}
