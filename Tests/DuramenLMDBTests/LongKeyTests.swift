import DuramenLMDB
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Text longer than the engine's keys, sharing its first 500 bytes.
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

    @Test("A unique text of 600 bytes is compared to its last byte")
    func longUniqueText() throws {
        let store = try open()
        let first = try store.insert("Word", ["text": Self.long("a")])
        #expect(try !takes(store, "Word", ["text": Self.long("a")]))
        #expect(try takes(store, "Word", ["text": Self.long("b")]))
        #expect(try !takes(store, "Word", ["text": Self.long("b")]))
        // Prefixes of each other.
        #expect(try takes(store, "Word", ["text": Self.long("x", count: 599)]))
        #expect(try takes(store, "Word", ["text": Self.long("x", count: 601)]))
        #expect(try !takes(store, "Word", ["text": Self.long("x", count: 599)]))
        // What was given up is free, and what was taken is not.
        try store.saved(ChangeSet(updates: [try store.update(first, ["text": Self.long("c")])]))
        #expect(try takes(store, "Word", ["text": Self.long("a")]))
        #expect(
            try store.conflicts(
                ChangeSet(updates: [try store.update(first, ["text": Self.long("b")])])))
        try store.delete(first)
        #expect(try takes(store, "Word", ["text": Self.long("c")]))
        try store.close()
    }

    @Test("Long unique values change places in one save, and two new ones conflict with each other")
    func longExchange() throws {
        let store = try open()
        let ids = try store.insert(
            "Word", all: ["a", "b", "c"].map { ["text": Self.long($0)] })
        try store.saved(
            ChangeSet(updates: [
                try store.update(ids[0], ["text": Self.long("b")]),
                try store.update(ids[1], ["text": Self.long("c")]),
                try store.update(ids[2], ["text": Self.long("a")]),
            ]))
        #expect(try store.value(ids[2], "text") == Self.long("a"))
        let keys = try store.allocateKeys(2, for: try store.entity("Word").id)
        let outcome = try store.save(
            ChangeSet(
                inserts: try keys.map { try store.row("Word", key: $0, ["text": Self.long("d")]) }))
        guard case .conflicted(let conflicts) = outcome else {
            Issue.record("both were saved")
            return
        }
        #expect(conflicts.count == 1)
        #expect(try store.snapshot().count(try store.query("Word")) == 3)
        try store.close()
    }

    @Test("A uniqueness conflict names the row that holds the long value, and no other")
    func theHolderIsNamed() throws {
        let store = try open()
        let ids = try store.insert("Word", all: ["a", "b", "c"].map { ["text": Self.long($0)] })
        let key = try store.allocateKeys(1, for: try store.entity("Word").id).lowerBound
        let row = try store.row("Word", key: key, ["text": Self.long("b")])
        guard case .conflicted(let conflicts) = try store.save(ChangeSet(inserts: [row])) else {
            Issue.record("the value was taken twice")
            return
        }
        let others = conflicts.compactMap {
            if case .uniqueness(let conflict) = $0 { conflict.otherID } else { nil }
        }
        #expect(others == [ids[1]])
        try store.close()
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

    @Test("Compound unique values: nil parts never conflict, and parts do not run into each other")
    func compound() throws {
        let store = try open()
        func pair(_ a: StoredText?, _ b: StoredText?) -> [String: StoredValue] {
            var values: [String: StoredValue] = [:]
            values["first"] = a.map { .text($0) }
            values["second"] = b.map { .text($0) }
            return values
        }
        for values in [
            pair("a\0", "b"), pair("a", "\0b"), pair("a\0b", ""), pair("", "a\0b"), pair("", ""),
            pair("a", nil), pair("a", nil), pair(nil, "a"), pair(nil, "a"), pair(nil, nil),
            pair("", nil), pair("\u{e9}", ""), pair("e\u{301}", ""),
        ] { #expect(try takes(store, "Pair", values), "\(values)") }
        for values in [
            pair("a\0", "b"), pair("a", "\0b"), pair("a\0b", ""), pair("", ""), pair("\u{e9}", ""),
            pair("e\u{301}", ""),
        ] { #expect(try !takes(store, "Pair", values), "\(values)") }
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

    @Test("Every question about long text is answered to its last byte")
    func questions() throws {
        let store = try open()
        let texts =
            ["c", "a", "b", "a", ""].map { Self.long($0) } + [
                .text("x"), .text(""), Self.long("", count: 599), Self.long("", count: 601),
                Self.long("\0", count: 500), Self.long("y", count: 480),
            ]
        // Enough others that an index is worth its while.
        try store.insert("Note", all: texts.map { ["text": $0] } + [[:]])
        try store.insert(
            "Note", all: (0..<400).map { ["text": .text(StoredText("other \($0)"))] })
        func keys(_ predicate: FetchPredicate) throws -> [Int64] {
            try store.keys(store.query("Note", predicate))
        }
        #expect(try keys(compare("text", .equal, Self.long("a"))) == [2, 4])
        #expect(try keys(compare("text", .equal, Self.long("d"))) == [])
        #expect(try keys(compare("text", .isIn, [Self.long("a"), Self.long("c")])) == [1, 2, 4])
        #expect(try keys(compare("text", .isIn, [Self.long("c"), .text("x"), .null])) == [1, 6])
        #expect(try keys(compare("text", .beginsWith, Self.long("a"))) == [2, 4])
        #expect(try keys(compare("text", .beginsWith, Self.long("", count: 600))) == [5, 9])
        #expect(
            try keys(compare("text", .beginsWith, Self.long("", count: 499))) == [
                1, 2, 3, 4, 5, 8, 9, 10,
            ])
        #expect(try keys(compare("text", .greater, Self.long("b"))) == [1, 5, 9, 11])
        #expect(try keys(compare("text", .greaterOrEqual, Self.long("b"))) == [1, 3, 5, 9, 11])
        let above = compare("text", .greater, .text("other z"))
        #expect(
            try keys(.and([above, compare("text", .less, Self.long("b"))])) == [2, 4, 6, 8, 10])
        #expect(
            try keys(.and([above, compare("text", .lessOrEqual, Self.long("b"))]))
                == [2, 3, 4, 6, 8, 10])
        #expect(
            try keys(compare("text", .between, [Self.long("a"), Self.long("b")])) == [2, 3, 4])
        try store.close()
    }

    @Test("Long text is sorted to its last byte in both directions, equal ones by key")
    func order() throws {
        let store = try open()
        try store.insert(
            "Note", all: ["c", "a", "b", "a", "", "a\0"].map { ["text": Self.long($0)] })
        try store.insert("Note", all: [["text": .text("x")], [:], ["text": .text("")]])
        func keys(_ ascending: Bool, _ offset: Int = 0, _ limit: Int? = 20) throws -> [Int64] {
            try store.keys(
                store.query(
                    "Note", sort: [FetchSortDescriptor("text", ascending: ascending)],
                    offset: offset, limit: limit))
        }
        let expected: [Int64] = [8, 9, 7, 6, 2, 4, 3, 1, 5]
        #expect(try keys(true) == expected)
        #expect(try keys(true, 0, nil) == expected)
        #expect(try keys(false) == [5, 1, 3, 2, 4, 6, 7, 9, 8])
        #expect(try keys(true, 3, 2) == [6, 2])
        #expect(try keys(false, 4, 3) == [4, 6, 7])
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
