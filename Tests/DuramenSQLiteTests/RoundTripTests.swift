import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@Suite struct RoundTripTests {
    let folder = TemporaryFolder()

    @Test func everyAttributeTypeComesBackAfterReopening() throws {
        let values: [String: StoredValue] = [
            "code": .text("a\0b é e\u{301}"), "title": .text(""), "pages": .integer(.min),
            "rating": .double(-.infinity), "isLent": .boolean(true),
            "printed": .date(Date(timeIntervalSinceReferenceDate: -86_400.000_25)),
            "price": .decimal(try #require(Decimal(string: "12345678901234567890.123456789"))),
            "cover": .binary(Data([0, 1, 255])), "isbn": .uuid(UUID()), "link": .uri("https://a/b"),
        ]
        var store = try Library.open(folder.file())
        let id = try store.insert("Book", values)
        try store.close()
        store = try Library.open(folder.file())
        for (name, value) in values { #expect(try store.value(id, name) == value, "\(name)") }
        try store.close()
    }

    @Test func aDecimalThatNoRealHoldsYieldsToAnotherProgramsEdit() throws {
        let exact = try #require(Decimal(string: "0.1234567890123456789"))
        let store = try Library.open(folder.file())
        let id = try store.insert("Book", ["price": .decimal(exact)])
        #expect(try store.value(id, "price") == .decimal(exact))
        try RawDatabase.run(folder.file(), "UPDATE ZBOOK SET ZPRICE = 7.5")
        #expect(try store.value(id, "price") == .decimal(Decimal(string: "7.5")!))
        try store.close()
    }

    @Test func rowsComeInTheOrderOfTheRequestWithDuplicates() throws {
        let store = try Library.open(folder.file())
        var ids: [ManagedObjectID] = []
        for number in 0..<20 {
            ids.append(try store.insert("Tag", ["label": .text(StoredText("\(number)"))]))
        }
        let poet = try store.insert("Poet", ["verse": .text("v")])
        let person = ManagedObjectID(
            store: store.handle, entity: try store.entity("Person").handle, key: poet.key)
        let asked = [ids[7], ids[3], poet, person, ids[7], ids[19]]
        let keys = try store.snapshot().rows(for: asked).map(\.key)
        #expect(keys == [ids[7], ids[3], poet, ids[7], ids[19]].map(\.key))
        #expect(try store.snapshot().rows(for: ids).map(\.key) == ids.map(\.key))
        try store.close()
    }

    @Test func aHundredThousandRowsAreSavedAndReadInBatches() throws {
        let store = try PersistentStoreDescription.sqlite(folder.file()).durability(.relaxed)
            .open(model: Library.model)
        let tag = try store.entity("Tag")
        let keys = try store.allocateKeys(100_000, for: tag.id)
        var builder = RowBatchBuilder(capacity: 8_000_000)
        for key in keys {
            builder.beginRow(
                entity: tag.id, slotCount: tag.layout.slotCount, key: key, version: .unsaved)
            var text = "tag \(key)"
            text.withUTF8 { builder.set(bytes: UnsafeRawBufferPointer($0), at: 0) }
            builder.endRow()
        }
        try store.saved(ChangeSet(inserts: RowList(builder.finish())))
        let before = store.counters.statements
        let snapshot = try store.snapshot()
        let cursor = try snapshot.cursor(StoreQuery(entity: tag.id))
        var next = keys.lowerBound
        while let batch = try cursor.next(maximumRows: 512) {
            for row in batch {
                #expect(row.key == next)
                next += 1
            }
        }
        #expect(next == keys.upperBound)
        #expect(store.counters.statements - before == 1)
        #expect(try snapshot.count(StoreQuery(entity: tag.id)) == 100_000)
        try store.close()
    }

    @Test func destinationsOfEachKindOfToManyAreInOrder() throws {
        let store = try Library.open(folder.file())
        let person = try store.insert("Person")
        let poet = try store.insert("Poet")
        let books = try (0..<4).map { number in
            try store.insert("Book", ["author": .objectID(number % 2 == 0 ? poet : person)])
        }
        let tags = try (0..<3).map { _ in try store.insert("Tag") }
        let toTags = try store.relationship("tags", of: "Book")
        let toBooks = try store.relationship("books", of: "Tag")
        let written = try store.relationship("books", of: "Person")
        try store.saved(
            ChangeSet(edges: [
                EdgeChange(
                    relationship: toTags,
                    added: [
                        .init(from: books[0], to: tags[2]), .init(from: books[0], to: tags[0]),
                        .init(from: books[1], to: tags[2]),
                    ])
            ]))
        let snapshot = try store.snapshot()
        #expect(
            try snapshot.destinations(of: toTags, from: [books[0], books[3], books[0]])
                == [[tags[0], tags[2]], [], [tags[0], tags[2]]])
        #expect(try snapshot.destinations(of: toBooks, from: [tags[2]]) == [[books[0], books[1]]])
        #expect(
            try snapshot.destinations(of: written, from: [poet, person])
                == [[books[0], books[2]], [books[1], books[3]]])
        try store.delete(tags[2])
        #expect(try store.snapshot().destinations(of: toTags, from: [books[0]]) == [[tags[0]]])
        #expect(try snapshot.destinations(of: toTags, from: [books[1]]) == [[tags[2]]])
        try store.close()
    }
}
