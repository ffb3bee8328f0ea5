import DuramenModel
import DuramenPostgres
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Changes of a model that write no row again.
@Suite(.enabled(if: TestServer.isThere)) struct InPlaceTests {
    private let schemas: TestSchemas
    private let place: PersistentStoreDescription
    private let raw: RawServer

    init() throws {
        schemas = try TestSchemas()
        var policy = MigrationPolicy()
        policy.loss = .all
        place = schemas.next().migrating(policy)
        raw = try RawServer()
    }

    private static func model(
        _ attributes: [AttributeDescription], unique: [[String]] = [],
        others: [EntityDescription] = []
    ) -> ManagedObjectModel {
        testModel(
            [
                EntityDescription(
                    name: "Item", attributes: attributes, uniquenessConstraints: unique)
            ] + others)
    }

    private static let number = AttributeDescription("number", .integer64, isOptional: true)
    private static let text = AttributeDescription("text", .string, isOptional: true)
    /// For versions that are like none before.
    private static let other = AttributeDescription("other", .string, isOptional: true)

    private func make(_ model: ManagedObjectModel) throws {
        let store = try place.open(model: model)
        try store.insert(
            "Item",
            all: (0..<50).map {
                ["number": .integer(Int64($0)), "text": .text(StoredText("t\($0)"))]
            })
        try store.close()
    }

    /// The file of the table of items, which is another one once rows are written again.
    private func file() throws -> Int64 {
        try raw.number("SELECT pg_relation_filenode('\(place.quoted).item')::bigint")
    }

    /// Migrates, and returns the values of the objects.
    private func migrate(
        to model: ManagedObjectModel, keepsFile: Bool = true
    ) throws -> [[String: StoredValue]] {
        let before = try file()
        let store = try place.open(model: model)
        #expect(try (file() == before) == keepsFile)
        let rows = try store.all("Item", in: store.snapshot())
        // Objects are written as before.
        try store.saved(
            ChangeSet(updates: [try store.edit(rows[0], ["number": .integer(0)])]))
        let id = try store.insert("Item", ["number": .integer(-1)])
        try store.delete(id)
        #expect(try StoreVerification(of: store).run() == [])
        let values = rows.map { store.values($0) }
        try store.close()
        return values
    }

    @Test func attributesComeGoAndGetOtherNames() throws {
        defer { schemas.destroyAll() }
        try make(Self.model([Self.number, Self.text]))
        let renamed = AttributeDescription(
            "words", .string, isOptional: true, renamingIdentifier: "text")
        let added: [AttributeDescription] = [
            AttributeDescription("flag", .boolean, default: .boolean(true)),
            AttributeDescription("amount", .decimal, isOptional: true, default: .decimal(1.25)),
            AttributeDescription("note", .string, default: .text("it's \\ \u{0} 'so'")),
            AttributeDescription("share", .double, default: .double(0.1)),
            AttributeDescription("small", .float, default: .double(0.25)),
            AttributeDescription("bytes", .binaryData, default: .binary(Data([0, 255, 39]))),
            AttributeDescription(
                "day", .date, default: .date(Date(timeIntervalSinceReferenceDate: -0.5))),
        ]
        let values = try migrate(to: Self.model([Self.number, renamed] + added))
        #expect(values.count == 50)
        for value in values {
            guard case .integer(let number)? = value["number"] else { continue }
            #expect(value["words"] == .text(StoredText("t\(number)")))
            #expect(value["flag"] == .boolean(true))
            #expect(value["amount"] == .decimal(1.25))
            #expect(value["note"] == .text("it's \\ \u{0} 'so'"))
            #expect(value["share"] == .double(0.1))
            #expect(value["small"] == .double(0.25))
            #expect(value["bytes"] == .binary(Data([0, 255, 39])))
            #expect(value["day"] == .date(Date(timeIntervalSinceReferenceDate: -0.5)))
        }
        // The column of one that went is not that of one of the same name that comes.
        let gone = try migrate(to: Self.model([Self.number]))
        #expect(gone.allSatisfy { $0["words"] == nil })
        let back = try migrate(to: Self.model([Self.number, Self.text, Self.other]))
        #expect(back.allSatisfy { $0["text"] == nil || $0["text"] == .null })
    }

    @Test func newEntitiesAndRelationshipsLeaveTheRows() throws {
        defer { schemas.destroyAll() }
        try make(Self.model([Self.number, Self.text]))
        let values = try migrate(
            to: testModel([
                EntityDescription(
                    name: "Item", attributes: [Self.number, Self.text],
                    relationships: [
                        .toOne("box", destination: "Box", inverse: "items"),
                        .toMany("tags", destination: "Tag", inverse: "items"),
                    ]),
                EntityDescription(
                    name: "Box",
                    relationships: [.toMany("items", destination: "Item", inverse: "box")]),
                EntityDescription(
                    name: "Tag",
                    relationships: [.toMany("items", destination: "Item", inverse: "tags")]),
                EntityDescription(
                    name: "Special", superentity: "Item",
                    attributes: [
                        AttributeDescription("reason", .string, isOptional: true)
                    ]),
            ]))
        #expect(values.count == 50)
        let special = EntityDescription(
            name: "Special", superentity: "Item",
            attributes: [AttributeDescription("reason", .string, isOptional: true)])
        // Those of the other tables go with them.
        let alone = try migrate(to: Self.model([Self.number, Self.text], others: [special]))
        #expect(alone.count == 50)
        // One whose objects are in a table that stays does not.
        let without = try migrate(
            to: Self.model([Self.number, Self.text, Self.other]), keepsFile: false)
        #expect(without.count == 50)
    }

    @Test func anEntityThatGoesTakesItsTableItsClaimsAndItsKeysWithIt() throws {
        defer { schemas.destroyAll() }
        func model(_ others: [EntityDescription], _ more: [AttributeDescription] = [])
            -> ManagedObjectModel
        {
            Self.model([Self.number, Self.text] + more, others: others)
        }
        let gone = EntityDescription(
            name: "Gone", attributes: [Self.text], uniquenessConstraints: [["text"]])
        var store = try place.open(model: model([gone]))
        try #require(store as? any HistoryTrackingStore).beginHistory()
        let ids = try store.insert(
            "Gone", all: (0..<40).map { ["text": .text(StoredText("\($0)"))] })
        try store.insert("Item", ["number": .integer(1)])
        try store.close()
        #expect(try migrate(to: model([])).count == 1)
        #expect(try raw.number("SELECT count(*) FROM \(place.quoted).claims") == 0)
        #expect(
            try raw.run("SELECT to_regclass('\(place.quoted).gone')::text") == [[nil]])
        // An entity of that name is another one: nothing is there, and no key comes again.
        store = try place.open(model: model([gone], [Self.other]))
        #expect(try store.snapshot().count(store.query("Gone")) == 0)
        let again = try store.insert(
            "Gone", all: (0..<40).map { ["text": .text(StoredText("\($0)"))] })
        #expect(Set(again.map(\.key)).isDisjoint(with: ids.map(\.key)))
        #expect(try StoreVerification(of: store).run() == [])
        let history = try #require(store as? any HistoryTrackingStore).history(
            HistoryRequest(after: 0))
        #expect(history.flatMap { $0.changes ?? [] }.count >= 81)
        try store.close()
    }

    @Test func aTableThatAViewOfAnotherNeedsStays() throws {
        defer { schemas.destroyAll() }
        let gone = EntityDescription(name: "Gone", attributes: [Self.text])
        try make(Self.model([Self.number, Self.text], others: [gone]))
        let view = "\(place.quoted).\"their view\""
        try raw.run("CREATE VIEW \(view) AS SELECT id FROM \(place.quoted).gone")
        let new = Self.model([Self.number, Self.text])
        #expect(storeErrorCode { try place.open(model: new) } == .foreignFile)
        try raw.run("DROP VIEW \(view)")
        #expect(try migrate(to: new).count == 50)
    }

    @Test func namesThatDifferInTheirEncodingOnlyHaveTablesOfTheirOwn() throws {
        defer { schemas.destroyAll() }
        func model(_ name: String) -> ManagedObjectModel {
            testModel(
                ["\u{E9}", "e\u{301}"].map {
                    EntityDescription(
                        name: $0,
                        attributes: [
                            AttributeDescription(
                                name, .string, isOptional: true, default: .text("new")),
                            AttributeDescription("text", .string, isOptional: true),
                        ])
                })
        }
        let store = try place.open(model: model("first"))
        for entity in ["\u{E9}", "e\u{301}"] {
            try store.insert(entity, ["text": .text(StoredText(entity))])
        }
        try store.close()
        let changed = try place.open(model: model("second"))
        for entity in ["\u{E9}", "e\u{301}"] {
            let rows = try changed.all(entity, in: changed.snapshot())
            #expect(rows.map { changed.values($0)["text"] } == [.text(StoredText(entity))])
            #expect(rows.map { changed.values($0)["second"] } == [.text("new")])
        }
        try changed.close()
    }

    @Test func aConstraintMayGoButNotCome() throws {
        defer { schemas.destroyAll() }
        let unique = Self.model([Self.number, Self.text], unique: [["text"]])
        try make(unique)
        _ = try migrate(to: Self.model([Self.number, Self.text]))
        let store = try place.open(model: Self.model([Self.number, Self.text]))
        try store.insert("Item", ["text": .text("t1")])
        try store.close()
        let again = Self.model([Self.number, Self.text, Self.other], unique: [["text"]])
        #expect(storeErrorCode { try place.open(model: again) } == .uniquenessViolated)
        let raw = try place.open(model: Self.model([Self.number, Self.text]))
        #expect(try raw.snapshot().count(raw.query("Item")) == 51)
        try raw.close()
    }
}
