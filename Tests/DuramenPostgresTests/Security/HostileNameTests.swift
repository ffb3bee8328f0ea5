import DuramenModel
import DuramenPostgres
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Names that SQL, the engine or the tables could take for something else.
@Suite(.enabled(if: TestServer.isThere)) struct HostileNameTests {
    static let names: [String] = {
        var names = [
            "select", "table", "group", "order", "Order", "ORDER", "user", "null", "true", "id",
            "Id", "ID", "entity", "version", "store", "saves", "gate", "turn", "metadata", "keys",
            "claims", "order_numbers", "orderNumbers", "a", "b", "a_order", "ctid", "xmin", "oid",
            "tableoid", "_", "__", "1", "a\"b", "a\"\"b", "a'b", "a''b", "\"", "'", "';--", "\\",
            "\\'",
            "a\\", "\\\"", "$1", "$$", "$a$", "?", ":a", "@a", "%@", "%s", "--", "/*", "*/", ";",
            "a);DROP SCHEMA public CASCADE;--", "'); DROP TABLE x; --", "a b", " ", "\n", "\r\n",
            "\t", "\u{1}", "\u{7F}", "é", "e\u{301}", "É", "ß", "ss", "SS", "İ", "i\u{307}", "ı",
            "ſ", "😀", "👩‍👩‍👧", "日本", "\u{202E}abc", "\u{FEFF}x", "\u{FFFF}", "pg_class",
            "public", "information_schema", "self", "SELF", "nil",
            // A mark and an accent are one character to Swift, and two to the server.
            "\"\u{301}", "'\u{301}", "x'\u{301}; DROP TABLE x; --", "x\"\u{301}; DROP TABLE x; --",
            "a\u{301}'", "\\\u{301}'",
            String(repeating: "x", count: 80), String(repeating: "X", count: 80),
            String(repeating: "x", count: 79) + "y", String(repeating: "é", count: 80),
            String(repeating: "e\u{301}", count: 60), String(repeating: "\"", count: 80),
            String(repeating: "'", count: 80), "e" + String(repeating: "\u{301}", count: 90),
        ]
        // Twins after the change to snake case.
        for word in ["fooBar", "foo_bar", "FooBar", "foo bar", "foo-bar", "fooBAR", "foo_Bar"] {
            names.append(word)
        }
        for number in 0..<(200 - names.count) {
            let scalars = (0..<5).compactMap { Unicode.Scalar(33 + (number * 7 + $0 * 31) % 94) }
            // No name has a point.
            names.append(
                "n\(number)" + String(String.UnicodeScalarView(scalars)).filter { $0 != "." })
        }
        return names
    }()

    private static func model() throws -> ManagedObjectModel {
        let plain = names.map { name in
            EntityDescription(
                name: name,
                attributes: [AttributeDescription("a", .string, isOptional: true)],
                uniquenessConstraints: [["a"]])
        }
        let hub = EntityDescription(
            name: "hub of all",
            attributes: names.map { AttributeDescription($0, .string, isOptional: true) })
        let left = EntityDescription(
            name: "left of all",
            relationships: names.flatMap { name -> [RelationshipDescription] in
                [
                    .toOne("o" + name, destination: "right of all", inverse: "o" + name),
                    .toMany("m" + name, destination: "right of all", inverse: "m" + name),
                ]
            })
        let right = EntityDescription(
            name: "right of all",
            relationships: names.flatMap { name -> [RelationshipDescription] in
                [
                    .toMany("o" + name, destination: "left of all", inverse: "o" + name),
                    .toMany("m" + name, destination: "left of all", inverse: "m" + name),
                ]
            })
        return try ManagedObjectModel(plain + [hub, left, right])
    }

    @Test func twoHundredNamesAreSavedFetchedAndReadAgain() throws {
        #expect(Self.names.count == 200)
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next().timeout(seconds: 60)
        let model = try Self.model()
        var store = try place.open(model: model)
        for name in Self.names { try store.insert(name, ["a": .text("1")]) }
        // An object each: a dictionary takes twins for one name.
        var hubs: [ManagedObjectID] = []
        var owners: [ManagedObjectID] = []
        let right = try store.insert("right of all")
        for name in Self.names {
            hubs.append(try store.insert("hub of all", [name: .text(StoredText(name))]))
            owners.append(try store.insert("left of all", ["o" + name: .objectID(right)]))
        }
        let left = owners[0]
        try store.saved(
            ChangeSet(
                edges: Self.names.map { name in
                    EdgeChange(
                        relationship: try store.relationship("m" + name, of: "left of all"),
                        added: [.init(from: left, to: right)])
                }))
        try store.close()
        store = try place.open(model: model)
        let snapshot = try store.snapshot()
        for (place, name) in Self.names.enumerated() {
            #expect(try store.keys(store.query(name, compare("a", .equal, .text("1")))).count == 1)
            let value = try store.value(hubs[place], name)
            #expect(value == .text(StoredText(name)), "\(name)")
            let named = FetchPredicate.comparison(
                PredicateComparison(.keyPath([name]), .equal, .constant(.text(StoredText(name)))))
            #expect(try snapshot.count(store.query("hub of all", named)) == 1, "\(name)")
            let ones = try store.relationship("o" + name, of: "right of all")
            let owned = try snapshot.destinations(of: ones, from: [right])
            #expect(owned.first?.contains(owners[place]) == true, "\(name)")
            let pairs = try store.relationship("m" + name, of: "right of all")
            #expect(try snapshot.destinations(of: pairs, from: [right]) == [[left]], "\(name)")
        }
        try store.close()
    }

    @Test func hostileNamesOfSchemasAreNamesOrAreRefused() throws {
        let location = try TestServer.location()
        for name in share(of: Self.names, usual: 25, seed: randomSeed()) {
            let schema = "hostile " + name
            let place = PersistentStoreDescription.postgres(location, schema: schema)
                .allowingUnsafeServer()
            if schema.utf8.count > 63 {
                #expect(
                    storeErrorCode { try place.open(model: FaultModel.model) } == .invalidRequest)
                continue
            }
            let store = try place.open(model: FaultModel.model)
            let id = try store.insert("Tag", ["label": .text("a")])
            #expect(try store.value(id, "label") == .text("a"))
            try store.close()
            try place.destroyStore()
        }
        for name in ["pg_catalog", "pg_mine", "a\0b"] {
            let place = PersistentStoreDescription.postgres(location, schema: name)
            #expect(storeErrorCode { try place.open(model: FaultModel.model) } == .invalidRequest)
        }
    }

    @Test func backslashesAreLettersWhateverTheRolesSettings() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = try schemas.nextWithRole()
        let raw = try RawServer()
        for setting in ["standard_conforming_strings = off", "synchronous_commit = off"] {
            try raw.run("ALTER ROLE \(place.quoted) SET \(setting)")
        }
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "a\\'; DROP SCHEMA public; --",
                attributes: [AttributeDescription("a\\", .string, isOptional: true)])
        ])
        let store = try place.open(model: model)
        let id = try store.insert("a\\'; DROP SCHEMA public; --", ["a\\": .text("1")])
        #expect(try store.value(id, "a\\") == .text("1"))
        try store.close()
    }
}
