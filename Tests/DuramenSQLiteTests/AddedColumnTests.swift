import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// What old rows have in a column that a migration adds.
@Suite struct AddedColumnTests {
    let folder = TemporaryFolder()

    private func model(_ attributes: [AttributeDescription]) -> ManagedObjectModel {
        testModel([
            EntityDescription(
                name: "Note",
                attributes: [AttributeDescription("text", .string, isOptional: true)] + attributes),
            EntityDescription(name: "Letter", superentity: "Note"),
        ])
    }

    private static let identifier = UUID(
        uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    /// A type, a default, and whether the column itself says it.
    private static let defaults: [(AttributeType, StoredValue, Bool)] = [
        (.integer16, .integer(-5), true), (.integer64, .integer(.max), true),
        (.integer64, .integer(.min), false), (.boolean, .boolean(true), true),
        (.double, .double(0.1), true), (.double, .double(1e300), false),
        (.double, .double(1.0 / 3), false),
        (.float, .double(2.5), true), (.string, .text("it's \"é\" 漢; --"), true),
        (.string, .text("a\u{0}b"), false), (.string, .text(""), true),
        (.string, .text(StoredText(String(repeating: "x", count: 2_000))), false),
        (.decimal, .decimal(Decimal(string: "12.5") ?? 0), true),
        (.decimal, .decimal(Decimal(string: "0.12345678901234567890123") ?? 0), false),
        (.date, .date(Date(timeIntervalSinceReferenceDate: 86_400.25)), true),
        (.binaryData, .binary(Data([0, 255, 39])), true), (.uuid, .uuid(identifier), true),
        (.uri, .uri("https://example.org/'"), true),
    ]

    @Test("Old rows have the default to the bit, in the column's own words where it can say it")
    func defaults() throws {
        for (number, (type, value, isSaid)) in Self.defaults.enumerated() {
            let description = PersistentStoreDescription.sqlite(folder.file("\(number).sqlite"))
                .durability(.unsafeNoSync)
            let old = try description.open(model: model([]))
            let ids = [try old.insert("Note"), try old.insert("Letter", ["text": .text("a")])]
            try old.close()
            let added = AttributeDescription("added", type, default: value)
            let new = model([added])
            let store = try description.open(model: new)
            for id in ids {
                let entity = try #require(new.entity(named: id.entityName))
                let found = try store.value(
                    ManagedObjectID(store: store.handle, entity: entity.handle, key: id.key),
                    "added")
                #expect(found == value, "\(type) \(value)")
                if case .double(let double)? = found, case .double(let expected) = value {
                    #expect(double.bitPattern == expected.bitPattern)
                }
            }
            #expect(try StoreVerification(of: store).run() == [])
            try store.close()
            let sql = try RawDatabase.texts(
                description.location, "SELECT sql FROM sqlite_master WHERE name = 'ZNOTE'")
            #expect(sql.joined().contains("DEFAULT") == isSaid, "\(type) \(value)")
        }
    }

    @Test("A column of a sub-entity says nothing by itself, since others have it not")
    func subentities() throws {
        func model(_ isAdded: Bool) -> ManagedObjectModel {
            let rank = AttributeDescription("rank", .integer32, default: .integer(3))
            return testModel([
                EntityDescription(name: "Note"),
                EntityDescription(
                    name: "Letter", superentity: "Note", attributes: isAdded ? [rank] : []),
            ])
        }
        let description = PersistentStoreDescription.sqlite(folder.file("store.sqlite"))
        let old = try description.open(model: model(false))
        try old.insert("Note")
        try old.insert("Letter")
        try old.close()
        try description.open(model: model(true)).close()
        #expect(
            try RawDatabase.texts(description.location, "SELECT ZRANK FROM ZNOTE ORDER BY Z_PK")
                == ["NULL", "3"])
    }
}
