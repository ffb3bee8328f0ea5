import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Columns whose numbers get another type where they stand.
@Suite struct RetypedColumnTests {
    let folder = TemporaryFolder()

    private static let numbers: [AttributeType] = [
        .integer16, .integer64, .boolean, .double, .float, .decimal,
    ]

    /// A default that looks like the definition of a column. `CREATE TABLE` contains it.
    private static let hostile = "', \"ZAMOUNT\" INTEGER), ( ZAMOUNT INTEGER, --"

    private func model(
        _ type: AttributeType, isFilled: Bool = true, unique: [[String]] = []
    ) -> ManagedObjectModel {
        var note = EntityDescription(
            name: "Note",
            attributes: [
                AttributeDescription("amount", type, isOptional: true),
                AttributeDescription("text", .string, isOptional: true),
            ])
        if isFilled {
            note.attributes.append(
                AttributeDescription("filled", .string, default: .text(StoredText(Self.hostile))))
        }
        note.indexes = [IndexDescription(name: "byAmount", elements: [.init("amount")])]
        note.uniquenessConstraints = unique
        return testModel([note, EntityDescription(name: "Letter", superentity: "Note")])
    }

    private static func value(_ number: Int, _ type: AttributeType) -> StoredValue {
        switch type {
        case .boolean: .boolean(number != 0)
        case .double, .float: .double(Double(number))
        case .decimal: .decimal(Decimal(number))
        default: .integer(Int64(number))
        }
    }

    @Test(
        "A number keeps its column, its neighbours and its value, whichever types it goes through",
        arguments: numbers)
    func chains(first: AttributeType) throws {
        let fractions: [AttributeType] = [.double, .float, .decimal]
        for second in Self.numbers {
            // Truth values become whole numbers only.
            let pair = [first, second]
            if pair.contains(.boolean), pair.contains(where: fractions.contains) { continue }
            // And binary fractions no decimals.
            if second == .decimal, [.double, .float].contains(first) { continue }
            let place = folder.file("\(first)-\(second).sqlite")
            let description = PersistentStoreDescription.sqlite(place).durability(.unsafeNoSync)
            let isSmall = pair.contains(.boolean)
            let amounts = isSmall ? [0, 1] : [0, 1, -7, 32_000]
            let old = try description.open(model: model(first, isFilled: false))
            var ids: [ManagedObjectID] = []
            for (place, amount) in amounts.enumerated() {
                ids.append(
                    try old.insert(
                        place == 1 ? "Letter" : "Note",
                        [
                            "amount": Self.value(amount, first),
                            "text": .text(StoredText("\(amount)")),
                        ]))
            }
            let empty = try old.insert("Note")
            try old.close()
            try description.open(model: model(first)).close()
            let columns = "SELECT name FROM pragma_table_info('ZNOTE')"
            let before = try RawDatabase.texts(place, columns)
            let store = try description.open(model: model(second))
            func value(_ id: ManagedObjectID, _ name: String) throws -> StoredValue? {
                let entity = try #require(store.model.entity(named: id.entityName))
                return try store.value(
                    ManagedObjectID(store: store.handle, entity: entity.handle, key: id.key), name)
            }
            for (id, amount) in zip(ids, amounts) {
                #expect(
                    try value(id, "amount") == Self.value(amount, second), "\(first) \(second)")
                #expect(try value(id, "text") == .text(StoredText("\(amount)")))
                #expect(try value(id, "filled") == .text(StoredText(Self.hostile)))
            }
            #expect(try value(empty, "amount") == .null)
            #expect(try StoreVerification(of: store).run() == [])
            try store.close()
            #expect(try RawDatabase.texts(place, columns) == before)
            #expect(try RawDatabase.texts(place, "PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test("A quote before an accent does not end the name of a column")
    func accentedQuote() throws {
        let name = "a\"\u{301}b"
        func model(_ type: AttributeType) -> ManagedObjectModel {
            testModel([
                EntityDescription(
                    name: "Note",
                    attributes: [
                        AttributeDescription(name, type, isOptional: true),
                        AttributeDescription("text", .string, isOptional: true),
                    ])
            ])
        }
        let description = PersistentStoreDescription.sqlite(folder.file("accent.sqlite"))
        let old = try description.open(model: model(.integer64))
        let id = try old.insert("Note", [name: .integer(7)])
        try old.close()
        let store = try description.open(model: model(.double))
        let entity = try #require(store.model.entity(named: "Note"))
        #expect(
            try store.value(
                ManagedObjectID(store: store.handle, entity: entity.handle, key: id.key), name)
                == .double(7))
        try store.close()
    }

    @Test("Digits of decimals go with the type")
    func digits() throws {
        let place = folder.file("digits.sqlite")
        let description = PersistentStoreDescription.sqlite(place)
        let old = try description.open(model: model(.decimal))
        let id = try old.insert("Note", ["amount": .decimal(Decimal(string: "1.5") ?? 0)])
        try old.close()
        // Digits that no number has any more, as of a value that was written over by another
        // program.
        try RawDatabase.run(
            place, "INSERT INTO DURAMEN_DECIMAL SELECT Z_ENT, Z_PK, 'ZAMOUNT', '1.50' FROM ZNOTE")
        try RawDatabase.run(place, "UPDATE ZNOTE SET ZAMOUNT = 1.5")
        let store = try description.open(model: model(.double))
        let entity = try #require(store.model.entity(named: "Note"))
        #expect(
            try store.value(
                ManagedObjectID(store: store.handle, entity: entity.handle, key: id.key), "amount")
                == .double(1.5))
        try store.close()
        #expect(try RawDatabase.texts(place, "SELECT COUNT(*) FROM DURAMEN_DECIMAL") == ["0"])
    }

    @Test("A migration that fails after the type was changed leaves the old type and all values")
    func failure() throws {
        let place = folder.file("failure.sqlite")
        let description = PersistentStoreDescription.sqlite(place)
        let old = try description.open(model: model(.integer64))
        let id = try old.insert("Note", ["amount": .integer(1 << 53 - 1), "text": .text("a")])
        try old.insert("Note", ["amount": .integer(3), "text": .text("a")])
        try old.close()
        let error = #expect(throws: StoreError.self) {
            try description.open(model: model(.double, unique: [["text"]]))
        }
        #expect(error?.code == .uniquenessViolated)
        #expect(
            try RawDatabase.texts(
                place, "SELECT type FROM pragma_table_info('ZNOTE') WHERE name = 'ZAMOUNT'")
                == ["INTEGER"])
        let again = try description.open(model: model(.integer64))
        #expect(try again.value(id, "amount") == .integer(1 << 53 - 1))
        #expect(try StoreVerification(of: again).run() == [])
        try again.close()
        try description.open(model: model(.double)).close()
    }
}
