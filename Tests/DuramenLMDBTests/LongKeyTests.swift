import DuramenLMDB
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Text round the length of the engine's keys, and what stands behind it in a key; what holds for
/// long text in every store is in the suite.
@Suite struct LongKeyTests {
    let folder = TemporaryFolder()
    private let model = testModel([
        EntityDescription(
            name: "Word",
            attributes: [
                AttributeDescription("text", .string, isOptional: true),
                AttributeDescription("number", .integer64, isOptional: true),
                AttributeDescription("amount", .decimal, isOptional: true),
            ], uniquenessConstraints: [["text"], ["text", "number", "amount"]],
            indexes: [IndexDescription("text", "number")]),
        EntityDescription(
            name: "Pair",
            attributes: [
                AttributeDescription("first", .string, isOptional: true),
                AttributeDescription("second", .string, isOptional: true),
                AttributeDescription("amount", .decimal, isOptional: true),
            ], uniquenessConstraints: [["first", "second"], ["first", "amount"]]),
        EntityDescription(
            name: "Note",
            attributes: [
                AttributeDescription("text", .string, isOptional: true),
                AttributeDescription("number", .integer64, isOptional: true),
            ], indexes: [IndexDescription("text"), IndexDescription("text", "number")]),
    ])

    private func open() throws -> any PersistentStore {
        try PersistentStoreDescription.lmdb(folder.file()).durability(.relaxed).open(model: model)
    }

    private static func long(_ end: String, count: Int = 600) -> StoredValue {
        .text(StoredText(String(repeating: "x", count: count - end.utf8.count) + end))
    }

    private func takes(
        _ store: any PersistentStore, _ name: String, _ values: [String: StoredValue]
    )
        throws -> Bool
    {
        let key = try store.allocateKeys(1, for: try store.entity(name).id).lowerBound
        return try !store.conflicts(ChangeSet(inserts: [try store.row(name, key: key, values)]))
    }

    @Test("A unique text is kept apart at the length of a key", arguments: 493...505)
    func atTheLimit(_ length: Int) throws {
        let store = try open()
        #expect(try takes(store, "Word", ["text": Self.long("", count: length)]))
        #expect(try !takes(store, "Word", ["text": Self.long("", count: length)]))
        #expect(try takes(store, "Word", ["text": Self.long("", count: length + 1)]))
        #expect(try takes(store, "Word", ["text": Self.long("\0", count: length + 1)]))
        #expect(try takes(store, "Word", ["text": Self.long("\0\0", count: length + 2)]))
        #expect(try !takes(store, "Word", ["text": Self.long("\0", count: length + 1)]))
        let query = try store.query("Word", sort: [FetchSortDescriptor("text")], limit: 10)
        #expect(try store.keys(query) == [1, 4, 5, 3])
        let reverse = try store.query(
            "Word", sort: [FetchSortDescriptor("text", ascending: false)], limit: 10)
        #expect(try store.keys(reverse) == [3, 5, 4, 1])
        for key in [1, 3, 4, 5] as [Int64] {
            let id = ManagedObjectID(
                store: store.handle, entity: try store.entity("Word").handle, key: key)
            let text = try #require(try store.value(id, "text"))
            #expect(try store.keys(store.query("Word", compare("text", .equal, text))) == [key])
        }
        try store.close()
    }

    @Test("Behind a long first part, a second one still tells compound values apart")
    func longCompound() throws {
        let store = try open()
        let long = Self.long("a")
        func values(_ second: String, _ amount: String) -> [String: StoredValue] {
            [
                "first": long, "second": .text(StoredText(second)),
                "amount": .decimal(.init(string: amount) ?? 0),
            ]
        }
        #expect(try takes(store, "Pair", values("a", "1")))
        #expect(try !takes(store, "Pair", values("a", "2")))
        #expect(try !takes(store, "Pair", values("b", "1.0")))
        #expect(try takes(store, "Pair", values("b", "1.01")))
        #expect(try takes(store, "Pair", ["first": long, "second": .text("c")]))
        try store.close()
    }

    @Test("A condition behind a long first part is not lost with the part's end")
    func secondConditionBehindALongPart() throws {
        let store = try open()
        let long = Self.long("a")
        try store.insert(
            "Note", all: (0..<10).map { ["text": long, "number": .integer($0)] })
        try store.insert(
            "Note", all: (0..<10).map { ["text": Self.long("b"), "number": .integer($0)] })
        try store.insert(
            "Note",
            all: (0..<400).map { ["text": .text(StoredText("\($0)")), "number": .integer(5)] })
        func keys(_ text: StoredValue, _ condition: FetchPredicate, limit: Int? = nil) throws
            -> [Int64]
        {
            try store.keys(
                store.query(
                    "Note", .and([compare("text", .equal, text), condition]),
                    sort: limit == nil ? [] : [FetchSortDescriptor("number", ascending: false)],
                    limit: limit))
        }
        #expect(try keys(long, compare("number", .greater, .integer(6))) == [8, 9, 10])
        #expect(try keys(long, compare("number", .less, .integer(2))) == [1, 2])
        #expect(try keys(long, compare("number", .isIn, [.integer(2), .integer(7)])) == [3, 8])
        for length in [490, 494, 495, 496, 497] {
            let text = Self.long("a", count: length)
            let first = try store.insert(
                "Note", all: (0..<4).map { ["text": text, "number": .integer($0)] })[0].key
            #expect(try keys(text, compare("number", .greater, .integer(2))) == [first + 3])
            #expect(try keys(text, compare("number", .equal, .integer(3))) == [first + 3])
            #expect(try keys(text, compare("number", .isIn, [.integer(3)])) == [first + 3])
            #expect(try keys(text, compare("number", .less, .integer(1))) == [first])
            #expect(try keys(text, compare("number", .less, .integer(9)), limit: 1) == [first + 3])
        }
        #expect(
            try keys(long, compare("number", .greaterOrEqual, .integer(7)), limit: 2) == [10, 9])
        try store.close()
    }
}
