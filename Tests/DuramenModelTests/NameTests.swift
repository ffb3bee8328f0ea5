import DuramenModel
import Testing

struct NameTests {
    /// Names that are strange, and right.
    static let allowed: [String] = {
        var names = [
            "id", "ID", "Id", "Z_PK", "select", "table", "order", "group", "'", "\"", "`", "[x]",
            "a b", " ", "\t", "\n", "a;--", "') DROP TABLE x;", "%", "_", "\\", "/", "a/b", "?",
            "#",
            ":x", "$1", "@max", "é", "e\u{301}", "É", "ß", "ẞ", "ı", "İ", "ſ", "K", "\u{212A}", "😀",
            "👩‍👩‍👧‍👦", "🇫🇮", "\u{200B}", "\u{202E}abc", "\u{FEFF}", "\u{10FFFF}", "\u{7F}", "\u{1}",
            "日本", "مرحبا", "self", "Self", "init", "class", "nil", "null", "NULL", "hash",
            "description",
            "p1", "t1", "0", "-1", "1e5", "。", "．", "x\u{0307}", String(repeating: "a", count: 200),
            String(repeating: "é", count: 100), String(repeating: "😀", count: 50),
        ]
        names += (0..<40).map { "\(UnicodeScalar(UInt8($0 + 33)))name\($0)" }
        return names.filter { !$0.contains(".") }
    }()

    @Test func aHundredHostileNamesAreKeptByteForByte() throws {
        #expect(Self.allowed.count >= 100)
        let model = try ManagedObjectModel(
            Self.allowed.map { name in
                EntityDescription(
                    name: name,
                    attributes: Self.allowed.map { AttributeDescription($0, .string) })
            })
        #expect(model.entities.count == Self.allowed.count)
        for name in Self.allowed {
            let entity = try #require(model.entity(named: name))
            #expect(StoredText(entity.name) == StoredText(name))
            #expect(entity.attributes.count == Self.allowed.count)
            let property = try #require(entity.property(named: name))
            #expect(StoredText(property.name) == StoredText(name))
            #expect(model.entity(for: entity.handle) == entity)
        }
    }

    @Test(arguments: [
        "", ".", "a.b", ".a", "a.", ".\u{301}", "a.\u{200D}b", "\0", "a\0b", "\0\u{301}",
        String(repeating: "a", count: 201), String(repeating: "é", count: 100) + "a",
        String(repeating: "😀", count: 51),
    ])
    func namesThatSomeStoreCannotKeepAreRefusedEverywhere(name: String) {
        let entity = EntityDescription(name: name)
        #expect(findings([entity]) == [Finding(.invalidName, name)])
        #expect(
            findings(AttributeDescription(name, .string))
                == [Finding(.invalidName, "Quake", name)])
        let index = EntityDescription(
            name: "Quake", attributes: [AttributeDescription("code", .string)],
            indexes: [.init(name: name, elements: [.init("code")])])
        #expect(findings([index]) == [Finding(.invalidName, "Quake", name)])
        let quake = EntityDescription(
            name: "Quake", relationships: [.toOne(name, destination: "Region")])
        let region = EntityDescription(
            name: "Region", relationships: [.toMany("quakes", destination: "Quake", inverse: name)])
        #expect(findings([quake, region]) == [Finding(.invalidName, "Quake", name)])
    }

    @Test func namesThatDifferInCaseOrInUnicodeFormAreDifferent() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "caf\u{E9}",
                attributes: ["x", "X", "\u{E9}", "e\u{301}"].map {
                    AttributeDescription($0, .string)
                }),
            EntityDescription(name: "cafe\u{301}"),
            EntityDescription(name: "Caf\u{E9}"),
        ])
        #expect(model.entities.map(\.name.utf8.count) == [5, 6, 5])
        #expect(model.entity(named: "CAF\u{E9}") == nil)
        let slots = try ["x", "X", "\u{E9}", "e\u{301}"].map { name in
            guard
                case .attribute(let attribute)? = model.entity(named: "caf\u{E9}")?.property(
                    named: name)
            else { throw Missing() }
            return attribute.slot
        }
        #expect(slots == [2, 0, 3, 1])
    }

    private struct Missing: Error {}
}
