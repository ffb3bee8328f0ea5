import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// What a store compares before it commits a change of its model.
@Suite struct MigrationVerificationTests {
    private let old = testModel([
        EntityDescription(
            name: "Item",
            attributes: [
                AttributeDescription("text", .string, isOptional: true),
                AttributeDescription("number", .integer32, isOptional: true),
                AttributeDescription("ratio", .double, isOptional: true),
            ])
    ])
    private let new = testModel([
        EntityDescription(
            name: "Item",
            attributes: [
                AttributeDescription(
                    "title", .string, isOptional: true, renamingIdentifier: "text"),
                AttributeDescription("number", .double, isOptional: true),
                AttributeDescription("ratio", .double, isOptional: true),
            ])
    ])
    private let store = StoreHandle(uuid: .init())

    private var verification: MigrationVerification {
        MigrationVerification(SchemaChange(from: old, to: new), path: "items")
    }

    private func row(
        _ model: ManagedObjectModel, key: Int64, _ values: [StoredValue]
    ) throws -> Row {
        let layout = model.entities[0].layout
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: model.entities[0].id, slotCount: layout.slotCount, key: key,
            version: RowVersion(rawValue: 1))
        for (slot, value) in values.enumerated() {
            builder.set(value, at: slot, as: layout.kinds[slot])
        }
        builder.endRow()
        return try #require(builder.finish().first)
    }

    private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
        do { try body() } catch { return error.code }
        return nil
    }

    @Test func countsThatDifferAreRefused() throws {
        var verification = verification
        verification.note(count: 3, of: old.entities[0].id)
        #expect(
            code { () throws(StoreError) in
                try verification.check(count: 3, of: new.entities[0].id)
            } == nil)
        #expect(
            code { () throws(StoreError) in
                try verification.check(count: 2, of: new.entities[0].id)
            } == .verificationFailed)
        #expect(
            code { () throws(StoreError) in
                try verification.check(total: 4, expected: 5)
            } == .verificationFailed)
    }

    @Test("Rows are compared by what they were, converted and renamed")
    func rowsAreComparedByWhatTheyWere() throws {
        let slots = old.entities[0].attributes
        func values(_ text: String, _ number: StoredValue) -> [StoredValue] {
            var values: [StoredValue] = [.null, .null, .null]
            for attribute in slots {
                switch attribute.name {
                case "text": values[attribute.slot] = .text(StoredText(text))
                case "number": values[attribute.slot] = number
                default: values[attribute.slot] = .double(.nan)
                }
            }
            return values
        }
        var verification = verification
        verification.note(try row(old, key: 7, values("a", .integer(5))))
        let links = try MigrationLinks(SchemaChange(from: old, to: new), path: "items") {
            (_, _) throws(StoreError) in
        }
        func outcome(_ found: Row?) -> StoreError? {
            do {
                try verification.checkRows(links, in: store) { (id) throws(StoreError) in
                    id.key == 7 ? found : nil
                }
            } catch { return error }
            return nil
        }
        var converted = [StoredValue](repeating: .null, count: 3)
        for attribute in new.entities[0].attributes {
            switch attribute.name {
            case "title": converted[attribute.slot] = .text("a")
            case "number": converted[attribute.slot] = .double(5)
            default: converted[attribute.slot] = .double(.nan)
            }
        }
        #expect(outcome(try row(new, key: 7, converted)) == nil)
        #expect(outcome(nil)?.message.contains("no object of 'Item' with key 7") == true)
        for attribute in new.entities[0].attributes {
            var other = converted
            other[attribute.slot] = attribute.name == "title" ? .null : .double(1)
            let error = outcome(try row(new, key: 7, other))
            #expect(error?.code == .verificationFailed)
            #expect(error?.message.contains("'Item.\(attribute.name)'") == true)
        }
    }

    @Test("Places are spread over all keys, the first and the last among them")
    func placesAreSpreadOverAllKeys() {
        #expect(MigrationVerification.places(upTo: 1) == [1])
        #expect(MigrationVerification.places(upTo: 3) == [1, 2, 3])
        for last in [16, 100, 1_000_000, Int64.max] {
            let places = MigrationVerification.places(upTo: last)
            #expect(places.first == 1 && places.last == last)
            #expect(places == places.sorted() && places.count == 17)
        }
    }
}
