import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import StoreTestSupport
import Testing

/// Names of entities and properties that SQL, the layout or the file system could take for
/// something else.
@Suite struct HostileNameTests {
    let folder = TemporaryFolder()

    private static let names = [
        "select", "table", "group", "order", "Order", "ORDER", "index", "from", "where", "null",
        "rowid", "oid", "_rowid_", "Z_PK", "PK", "_PK", "_ENT", "_OPT", "_METADATA", "_PRIMARYKEY",
        "_MODELCACHE", "Z_ENT", "1", "12", "_", "__", "a\"b", "a\"\"b", "a'b", "a]b", "[a", "a`b",
        "a\"\u{301}b", "a'\u{301}b", "a b", " ", "a;b", "--", "/*", "a);DROP TABLE Z_METADATA;--",
        "%@", "%s", "$0", "?", "?1",
        ":a", "@a", "\\", "\n", "\t", "\u{1}", "é", "e\u{301}", "É", "ß", "ss", "SS", "İ", "i",
        "😀", "日本", "sqlite_master", "sqlite_sequence", "DURAMEN_SAVE", "SELF", "self", "nil",
        String(repeating: "x", count: 200), String(repeating: "X", count: 200),
    ]

    @Test("They are written, found by a condition, sorted by and read again")
    func hostileNamesWork() throws {
        let model = try Self.makeModel()
        let description = PersistentStoreDescription.sqlite(folder.file("hostile.sqlite"))
        var store = try description.open(model: model)
        for name in Self.names {
            try store.insert(name, all: [["a": .text("2"), "b": .null], ["a": .text("1")]])
        }
        for name in Self.names { try store.insert("hub", [name: .text(StoredText(name))]) }
        try store.close()
        store = try description.open(model: model)
        for name in Self.names {
            let entity = try store.entity(name)
            let sorted = StoreQuery(
                entity: entity.id, predicate: compare("a", .notEqual, .null),
                sortDescriptors: [FetchSortDescriptor("a")])
            #expect(try store.pushedKeys(sorted)?.count == 2, "\(name)")
            let found = StoreQuery(
                entity: try store.entity("hub").id,
                predicate: .comparison(
                    PredicateComparison(
                        .keyPath([name]), .equal, .constant(.text(StoredText(name))))))
            #expect(try store.snapshot().count(found) == 1, "\(name)")
            #expect(try store.snapshot().count(StoreQuery(entity: entity.id)) == 2, "\(name)")
        }
        try store.close()
    }

    private static func makeModel() throws -> ManagedObjectModel {
        let plain = names.map { name in
            EntityDescription(
                name: name,
                attributes: [
                    AttributeDescription("a", .string, isOptional: true),
                    AttributeDescription("b", .string, isOptional: true),
                ])
        }
        let hub = EntityDescription(
            name: "hub",
            attributes: names.map { AttributeDescription($0, .string, isOptional: true) })
        return try ManagedObjectModel(plain + [hub])
    }

    @Test("Orders, own inverses and hidden inverses of such names are kept and followed")
    func hostileKindsWork() throws {
        let long = Self.names.map { String(decoding: $0.utf8.prefix(100), as: UTF8.self) }
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "left",
                relationships: long.flatMap { name -> [RelationshipDescription] in
                    [
                        .toMany(name, destination: "right", isOrdered: true),
                        .toMany(
                            "s" + name, destination: "left", inverse: "s" + name, isOrdered: true),
                    ]
                }),
            EntityDescription(name: "right"),
            EntityDescription(name: "below", superentity: "left"),
        ])
        let description = PersistentStoreDescription.sqlite(folder.file("kinds.sqlite"))
        var store = try description.open(model: model)
        let sources = try store.insert("below", all: long.map { _ in [:] })
        var targets: [ManagedObjectID] = []
        for (place, name) in long.enumerated() {
            targets += try store.insert(
                "right",
                all: [
                    [
                        ".left.\(name)": .objectID(sources[place]),
                        ".left.\(name).order": .integer(7),
                    ]
                ])
            let other = sources[(place + 1) % sources.count]
            try store.saved(
                ChangeSet(edges: [
                    EdgeChange(
                        relationship: try store.relationship("s" + name, of: "left"),
                        added: [.init(from: sources[place], to: other, order: 3, inverseOrder: 4)])
                ]))
        }
        try store.close()
        store = try description.open(model: model)
        for (place, name) in long.enumerated() {
            let members = try store.snapshot().orderedDestinations(
                of: try store.relationship(name, of: "left"), from: [sources[place]])
            #expect(members == [[OrderedDestination(targets[place], order: 7)]], "\(name)")
            let other = sources[(place + 1) % sources.count]
            let pairs = try store.snapshot().orderedDestinations(
                of: try store.relationship("s" + name, of: "left"), from: [other])
            #expect(pairs == [[OrderedDestination(sources[place], order: 4)]], "\(name)")
        }
        try store.close()
    }

    @Test("Relationships of such names are kept and followed")
    func hostileRelationshipsWork() throws {
        let long = Self.names.map { String(decoding: $0.utf8.prefix(100), as: UTF8.self) }
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "left",
                relationships: long.flatMap { name -> [RelationshipDescription] in
                    [
                        .toOne(name, destination: "right", inverse: name),
                        .toMany("m" + name, destination: "right", inverse: "m" + name),
                    ]
                }),
            EntityDescription(
                name: "right",
                relationships: long.flatMap { name -> [RelationshipDescription] in
                    [
                        .toMany(name, destination: "left", inverse: name),
                        .toMany("m" + name, destination: "left", inverse: "m" + name),
                    ]
                }),
        ])
        let description = PersistentStoreDescription.sqlite(folder.file("hostile.sqlite"))
        var store = try description.open(model: model)
        let targets = try store.insert("right", all: long.map { _ in [:] })
        let sources = try zip(long, targets).map { name, target in
            try store.insert("left", [name: .objectID(target)])
        }
        for (place, name) in long.enumerated() {
            let relationship = try store.relationship("m" + name, of: "left")
            try store.saved(
                ChangeSet(edges: [
                    EdgeChange(
                        relationship: relationship,
                        added: [.init(from: sources[0], to: targets[place])])
                ]))
        }
        try store.close()
        store = try description.open(model: model)
        for (place, name) in long.enumerated() {
            let back = try store.relationship(name, of: "right")
            let found = try store.snapshot().destinations(of: back, from: [targets[place]])
            #expect(found == [[sources[place]]], "\(name)")
            let pairs = try store.relationship("m" + name, of: "left")
            let reached = try store.snapshot().destinations(of: pairs, from: [sources[0]])
            #expect(reached == [[targets[place]]], "\(name)")
        }
        try store.close()
    }

    @Test("Names that no store can hold are refused by a mistake that names them")
    func impossibleNamesAreRefused() {
        for name in ["", "a.b", "a\0b", String(repeating: "x", count: 201)] {
            do throws(ModelError) {
                _ = try ManagedObjectModel([
                    EntityDescription(
                        name: "Book", attributes: [AttributeDescription(name, .string)])
                ])
                Issue.record("accepted a name of \(name.utf8.count) bytes")
            } catch {
                #expect(error.mistakes.map(\.code) == [.invalidName])
                #expect(error.mistakes.map(\.property) == [name])
            }
        }
    }
}
