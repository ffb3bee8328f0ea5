import DuramenModel
import Foundation

/// Values that share more bytes than the keys of many engines have, and pairs whose joined parts
/// are equal texts: errors of indexes.
enum LongValues {
    /// A text of equal letters, followed by an ending.
    static func text(_ count: Int, _ end: String = "") -> StoredText {
        StoredText(String(repeating: "x", count: count) + end)
    }

    /// The text as a value.
    static func long(_ count: Int, _ end: String = "") -> StoredValue { .text(text(count, end)) }

    /// Different texts, most of which share their first 500 bytes, some 511, 600 or 3,000.
    static let texts: [StoredText] =
        // Each is a prefix of the next; LMDB's keys end at 511 bytes, others at 255.
        [256, 511, 512, 599, 600, 601].map { text($0) }
        + ["a", "b", "c", "\u{0}", "\u{0}\u{0}"].map { text(599, $0) }
        + ["a", "b"].map { text(500, String(repeating: $0, count: 100)) }
        + ["a", "b"].map { text(3_000, $0) }
        + acutes.map { text(600, $0.string) }
        // Bytes 511 and 512 are one scalar.
        + ["\u{E8}", "\u{E9}"].map {
            StoredText(
                String(repeating: "\u{E9}", count: 255) + $0
                    + String(repeating: "\u{E9}", count: 44))
        }
        + acutes + ["", "x", "e", "f"]

    /// One letter for readers, two different texts for stores.
    static let acutes: [StoredText] = ["\u{E9}", "e\u{301}"]

    /// The bytes of the texts, and some that are not valid text.
    static let bytes: [Data] =
        texts.map { data($0) }
        + [
            Data(repeating: 0, count: 600), Data(repeating: 0, count: 601),
            Data(repeating: 255, count: 600), Data(repeating: 255, count: 599) + [254],
        ]

    /// The bytes of a text.
    static func data(_ text: StoredText) -> Data { Data(text.string.utf8) }

    /// The values of two attributes that share an index; nil for null.
    typealias Pair = (StoredText?, StoredText?)

    /// Different pairs without null.
    static let pairs: [Pair] =
        joints.flatMap(alikeWhenJoined) + [
            ("a\u{0}", "b"), ("a", "\u{0}b"), ("a\u{0}b", ""), ("", "a\u{0}b"),
            ("abc", ""), ("", "abc"), ("", ""), ("\u{E9}", ""), ("e\u{301}", ""), ("e", "\u{301}"),
            ("5", text(599, "a")), (text(3_000, "a"), "5"), (text(599, "b"), "5"),
            (text(599, "a"), text(599, "a")), (text(599, "a"), text(599, "b")),
        ] + (1...6).map { (text(599, "a"), StoredText("\($0)")) }

    /// Separators that stores put between the parts of a key; a text may contain each of them.
    private static let joints = ["", "\u{0}", "\u{1F}", ","]

    /// Two pairs that are equal texts when joined with a separator.
    private static func alikeWhenJoined(_ joint: String) -> [Pair] {
        [(StoredText("a\(joint)b"), "c"), ("a", StoredText("b\(joint)c"))]
    }

    /// Pairs with null in one part or both.
    static let nullPairs: [Pair] = [
        ("a", nil), (nil, "a"), (nil, nil), ("", nil), (nil, ""), (text(599, "a"), nil),
        (nil, text(599, "a")),
    ]

    /// A part of a pair as a value.
    static func value(_ part: StoredText?) -> StoredValue { part.map { .text($0) } ?? .null }

    /// Saves entries with all these values, twice unless a constraint forbids it, among enough
    /// other entries to make an index worthwhile.
    static func insertEntries(_ driver: StoreDriver) throws -> StoreContents {
        var draft = driver.draft()
        for (index, bytes) in bytes.enumerated() {
            var values: PropertyValues = [
                "indexedBytes": .binary(bytes), "plainBytes": .binary(bytes),
            ]
            if index < texts.count {
                values["indexedText"] = .text(texts[index])
                values["plainText"] = .text(texts[index])
            }
            if index % 3 == 0 { try draft.insert("Entry", values) }
            values["uniqueBytes"] = values["indexedBytes"]
            values["uniqueText"] = values["indexedText"]
            try draft.insert("Entry", values)
        }
        for (first, second) in pairs + nullPairs {
            var values: PropertyValues = ["lead": value(first), "tail": value(second)]
            try draft.insert("Entry", values)
            values["first"] = values["lead"]
            values["second"] = values["tail"]
            try draft.insert("Entry", values)
        }
        for index in 0..<100 {
            let text = StoredText("\(index % 2 == 0 ? "b" : "y") \(index)")
            try draft.insert(
                "Entry",
                [
                    "uniqueText": .text(text), "indexedText": .text(text), "plainText": .text(text),
                    "uniqueBytes": .binary(data(text)), "indexedBytes": .binary(data(text)),
                    "plainBytes": .binary(data(text)), "first": .text(text), "second": .text("5"),
                    "lead": .text(text), "tail": .text("5"),
                ])
        }
        try driver.commit(draft)
        return try driver.contents()
    }
}
