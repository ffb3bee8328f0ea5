import Duramen
import DuramenTestSupport
import Foundation
import Testing

@MainActor struct DumpFormatTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer.inMemory(model: Town.model)
        context = container.viewContext
    }

    @Test func valuesHaveOneFormEach() throws {
        try context.make(
            "House",
            [
                "street": "Quote \" and \\ and\nline\u{200B}", "number": 12, "height": 7.5,
                "weight": Float(0.1),
                "price": Decimal(string: "1234567890.0123456789"),
                "built": Date(timeIntervalSince1970: 951_827_696.25), "isListed": true,
                "plan": Data([1, 2, 3]), "site": URL(string: "https://example.org/a"),
                "token": UUID(uuidString: "0F9B3C4E-5D6A-4B7C-8D9E-0A1B2C3D4E5F"),
                "rooms": ["b": 2, "a": 1], "place": ["north": 48.25],
            ])
        #expect(
            try context.dump() == #"""
                House "Quote \" and \\ and\nline\u{200B}", 12
                  built: 2000-02-29T12:34:56.25Z
                  height: 7.5
                  isListed: true
                  number: 12
                  place.east: nil
                  place.north: 48.25
                  plan: 3 bytes, Base64 AQID
                  price: 1234567890.0123456789
                  rooms: {"a":1,"b":2}
                  site: "https://example.org/a"
                  size: nil
                  street: "Quote \" and \\ and\nline\u{200B}"
                  token: 0F9B3C4E-5D6A-4B7C-8D9E-0A1B2C3D4E5F
                  weight: 0.1
                  residents: none
                """#)
    }

    @Test func longBytesAreShownByTheirDigest() throws {
        try context.make("House", ["street": "A", "plan": Data(repeating: 7, count: 1_000)])
        try context.make("House", ["street": "B", "plan": Data()])
        let text = try context.dump()
        #expect(text.contains("\n  plan: 1000 bytes, SHA-256 "))
        #expect(text.contains("\n  plan: 0 bytes\n"))
    }

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
        (0.5, "1970-01-01T00:00:00.5Z"),
        (-62_135_596_800, "0001-01-01T00:00:00Z"), (-62_167_219_201, "-0001-12-31T23:59:59Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, "10000-01-01T00:00:00Z"),
        (1_709_164_800, "2024-02-29T00:00:00Z"),
        (1_700_000_000.000001, "2023-11-14T22:13:20.000001Z"),
    ])
    func datesAreInUTC(seconds: Double, text: String) throws {
        try context.make("House", ["built": Date(timeIntervalSince1970: seconds)])
        #expect(try context.dump().contains("built: \(text)\n"))
    }

    @Test func datesThatNoCalendarHasAreShown() throws {
        try context.make("House", ["built": Date(timeIntervalSinceReferenceDate: 1e300)])
        #expect(try context.dump().contains("built: 1e+300 s after 2001-01-01T00:00:00Z\n"))
    }

    @Test func relationshipsAreShownByNaturalKeys() throws {
        let ada = try context.make("Person", ["name": "Ada"])
        let bob = try context.make("Person", ["name": "Bob", "friends": [ada]])
        try context.make("House", ["street": "A", "number": 1, "residents": [bob, ada]])
        try context.save()
        #expect(
            try context.dump(options: .showing("Person"))
                == """
                Person "Ada"
                  name: "Ada"
                  secret: nil
                  friends:
                    Person "Bob"
                  home: House "A", 1
                  notes: none

                Person "Bob"
                  name: "Bob"
                  secret: nil
                  friends:
                    Person "Ada"
                  home: House "A", 1
                  notes: none
                """)
        // An ordered to-many keeps its order.
        #expect(
            try context.dump(options: .showing("House"))
                .hasSuffix("  residents:\n    Person \"Bob\"\n    Person \"Ada\""))
    }

    @Test func subentitiesStandUnderTheirOwnNames() throws {
        let shop = try context.make("Shop", ["street": "A", "number": 1])
        try context.make("House", ["street": "A", "number": 2])
        try context.make("Person", ["name": "Ada", "home": shop])
        let text = try context.dump()
        #expect(text.contains("House \"A\", 2\n") && text.contains("Shop \"A\", 1\n"))
        #expect(text.contains("  home: Shop \"A\", 1\n"))
        // An entity is shown with its sub-entities.
        #expect(try context.dump(options: .showing("House")).contains("Shop \"A\", 1\n"))
        #expect(try !context.dump(options: .showing("Shop")).contains("House"))
    }

    @Test func confidentialValuesAreMaskedUnlessAsked() throws {
        try context.make("Person", ["name": "Ada", "secret": "s3cr3t"])
        #expect(try context.dump().contains("  secret: •••\n"))
        var options = DumpOptions()
        options.showsConfidential = true
        #expect(try context.dump(options: options).contains("  secret: \"s3cr3t\"\n"))
    }

    @Test func derivedAttributesCanBeLeftOut() throws {
        let ada = try context.make("Person", ["name": "Ada"])
        try context.make("House", ["residents": [ada]])
        try context.save()
        #expect(try context.dump().contains("  size: 1\n"))
        var options = DumpOptions()
        options.showsDerived = false
        let text = try context.dump(options: options)
        #expect(!text.contains("size:") && !text.contains("saved:"))
    }

    @Test func propertiesCanBeIgnored() throws {
        try context.make("Person", ["name": "Ada"])
        var options = DumpOptions()
        options.ignoredProperties = ["secret", "Person.friends", "House.name"]
        #expect(
            try context.dump(options: options)
                == "Person \"Ada\"\n  name: \"Ada\"\n  home: nil\n  notes: none")
        // An attribute that is not shown is not used as the name of the object either.
        options.ignoredProperties.insert("name")
        #expect(
            try context.dump(options: options) == "Person #1\n  home: nil\n  notes: none")
    }

    @Test func unsavedChangesAreShown() throws {
        let ada = try context.make("Person", ["name": "Ada"])
        let bob = try context.make("Person", ["name": "Bob"])
        try context.save()
        try ada.setValue("Eve", forKey: "name")
        context.delete(bob)
        let text = try context.dump()
        #expect(text.contains("Person \"Eve\"") && !text.contains("Ada") && !text.contains("Bob"))
        #expect(try container.makeContext().dump().contains("Ada"))
    }

    @Test func someClassesCanBeShown() throws {
        let container = try PersistentContainer.inMemory(Book.self, Author.self)
        let context = container.viewContext
        try context.load(
            #"[{"isbn": "1", "title": "Solaris", "author": "Stanisław Lem"}]"#, into: Book.self)
        #expect(
            try context.dump(Author.self)
                == """
                Author "Stanisław Lem"
                  name: "Stanisław Lem"
                  books:
                    Book "1"
                """)
    }

    @Test func anUnknownEntityIsRefused() throws {
        let error = #expect(throws: TestSupportError.self) {
            try context.dump(options: .showing("Persn"))
        }
        #expect(error?.code == .unknownEntity)
        #expect(error?.message.contains("Did you mean 'Person'?") == true)
        #expect(throws: TestSupportError.self) { try context.dump(Book.self) }
    }

    // MARK: - Objects without a key

    @Test func objectsWithoutAKeyAreNumberedByTheirValues() throws {
        for text in ["b", "a", nil, "a"] { try context.make("Note", ["text": text]) }
        #expect(
            try context.dump().split(separator: "\n").filter { !$0.hasSuffix("none") }
                == [
                    "Note #1", "  text: nil", "  answer: nil", "  writer: nil",
                    "Note #2", "  text: \"a\"", "  answer: nil", "  writer: nil",
                    "Note #3", "  text: \"a\"", "  answer: nil", "  writer: nil",
                    "Note #4", "  text: \"b\"", "  answer: nil", "  writer: nil",
                ])
    }

    @Test func equalObjectsAreNumberedByWhatRefersToThem() throws {
        let tags = try (0..<2).map { _ in try context.make("Tag", ["label": "x"]) }
        try context.make("Note", ["text": "b", "tags": [tags[0]]])
        try context.make("Note", ["text": "a", "tags": [tags[1]]])
        let text = try context.dump(options: .showing("Note"))
        #expect(text.contains("text: \"a\"\n  answer: nil\n  answered: none\n  tags:\n    Tag #1"))
        #expect(text.contains("text: \"b\"\n  answer: nil\n  answered: none\n  tags:\n    Tag #2"))
    }

    @Test func objectsWithOneKeyAreNumberedToo() throws {
        try context.make("Person", ["name": "Ada", "secret": "1"])
        try context.make("Person", ["name": "Ada"])
        let text = try context.dump()
        #expect(text.contains("Person \"Ada\" #1\n  name: \"Ada\"\n  secret: nil"))
        #expect(text.contains("Person \"Ada\" #2\n  name: \"Ada\"\n  secret: •••"))
    }
}

extension DumpOptions {
    /// One entity.
    static func showing(_ entity: String) -> DumpOptions {
        var options = DumpOptions()
        options.entities = [entity]
        return options
    }
}
