import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// The bytes of keys have the order of the values in them.
@Suite struct KeyOrderTests {
    private static let slotKinds: [(String, SlotKind)] = [
        ("text", .text), ("link", .uri), ("whole", .integer), ("real", .double),
        ("single", .float), ("flag", .boolean), ("moment", .date), ("exact", .decimal),
        ("bytes", .binary), ("identifier", .uuid),
    ]

    /// The key of values behind a number, without a primary key.
    private func key(_ values: [(StoredValue, SlotKind)]) -> (bytes: [UInt8], isCut: Bool) {
        var builder = KeyBuilder()
        builder.begin(7)
        for (value, kind) in values {
            let hasPlace = builder.append(value, as: kind)
            #expect(hasPlace)
        }
        return (Array(builder.bytes), builder.isCut)
    }

    private func sign(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    /// Null before all values, then the law.
    private func order(_ a: StoredValue, _ b: StoredValue) throws -> Int {
        if a.isNull || b.isNull { return (a.isNull ? 0 : 1) - (b.isNull ? 0 : 1) }
        return try #require(StoredValue.order(a, b)).signum()
    }

    @Test("Keys of one value are ordered as the values are, up to the length of a key")
    func oneValue() throws {
        var random = SplitMix64(seed: randomSeed())
        for (name, kind) in Self.slotKinds {
            for _ in 0..<repetitions(600) {
                let a = SampleValues.value(name, &random)
                let b = SampleValues.value(name, &random)
                let (first, second) = (key([(a, kind)]), key([(b, kind)]))
                try check(first, second, try order(a, b), "\(name)")
            }
            let null = key([(.null, kind)])
            let some = key([(SampleValues.value(name, &random), kind)])
            #expect(sign(null.bytes, some.bytes) < 0, "null before \(name)")
        }
    }

    @Test("Keys of several values are ordered by the first that differ")
    func severalValues() throws {
        var random = SplitMix64(seed: randomSeed())
        for _ in 0..<repetitions(3_000) {
            let kinds = (0..<3).map { _ in
                random.pick(Self.slotKinds)
            }
            func values() -> [(StoredValue, SlotKind)] {
                kinds.map { name, kind in
                    let isNull = Int.random(in: 0..<5, using: &random) == 0
                    return (isNull ? .null : SampleValues.value(name, &random), kind)
                }
            }
            let a = values()
            var b = values()
            // Often the first ones are the same.
            for place in 0..<Int.random(in: 0...2, using: &random) { b[place] = a[place] }
            let expected = try zip(a, b).map { try order($0.0, $1.0) }.first { $0 != 0 } ?? 0
            try check(key(a), key(b), expected, "\(kinds.map(\.0))")
        }
    }

    /// A key that is cut says nothing where it equals another one, and must not say the opposite.
    private func check(
        _ a: (bytes: [UInt8], isCut: Bool), _ b: (bytes: [UInt8], isCut: Bool), _ expected: Int,
        _ what: String
    ) throws {
        let found = sign(a.bytes, b.bytes)
        if a.isCut && b.isCut && found == 0 {
            #expect(a.bytes.count == KeyBuilder.valueLimit)
            return
        }
        #expect(found == expected, "\(what)")
        #expect(a.bytes.count <= KeyBuilder.valueLimit && b.bytes.count <= KeyBuilder.valueLimit)
    }

    @Test("No value that is not cut begins another one", arguments: slotKinds.map(\.0))
    func noneBeginsAnother(_ name: String) throws {
        var random = SplitMix64(seed: randomSeed())
        let kind = try #require(Self.slotKinds.first { $0.0 == name }?.1)
        var keys = Set(
            (0..<repetitions(300)).map { _ in
                key([(SampleValues.value(name, &random), kind)]).bytes
            }
        ).sorted { $0.lexicographicallyPrecedes($1) }
        keys.removeAll { $0.count == KeyBuilder.valueLimit }
        for (a, b) in zip(keys, keys.dropFirst()) { #expect(!b.starts(with: a)) }
    }

    @Test("Escaped parts do not run into each other")
    func escaping() {
        func pair(_ a: StoredText, _ b: StoredText) -> [UInt8] {
            key([(.text(a), .text), (.text(b), .text)]).bytes
        }
        let different = [
            pair("a\0", "b"), pair("a", "\0b"), pair("a\0b", ""), pair("", "a\0b"), pair("a", "b"),
            pair("a\0\0", "b"), pair("a\0", "\0b"), pair("a\u{1}", "b"), pair("ab", ""),
        ]
        #expect(Set(different).count == different.count)
        #expect(sign(pair("a", "\0b"), pair("a\0", "b")) < 0)
        #expect(sign(pair("a\0", "b"), pair("a\u{1}", "")) < 0)
    }

    @Test(
        "A text is kept whole to the last byte that has room", arguments: [494, 495, 496, 497, 498])
    func theLimit(_ length: Int) {
        let text = StoredText(String(repeating: "x", count: length))
        let (bytes, isCut) = key([(.text(text), .text)])
        // Number, mark and two bytes at the end.
        #expect(isCut == (4 + 1 + length + 2 > KeyBuilder.valueLimit))
        #expect(bytes.count == min(4 + 1 + length + 2, KeyBuilder.valueLimit))
    }

    @Test("A row's value and the same value in a question have one key")
    func rowsAndQuestionsAgree() throws {
        var random = SplitMix64(seed: randomSeed())
        let folder = TemporaryFolder()
        let store = try PersistentStoreDescription.lmdb(folder.file()).open(model: Samples.model)
        let entity = try store.entity("Sample")
        for (name, kind) in Self.slotKinds {
            guard case .attribute(let attribute)? = entity.property(named: name) else { continue }
            for _ in 0..<repetitions(60) {
                let value = SampleValues.value(name, &random)
                let row = try store.row("Sample", key: 1, [name: value])
                var builder = KeyBuilder()
                builder.begin(7)
                builder.append(row, attribute.slot, kind)
                #expect(Array(builder.bytes) == key([(value, kind)]).bytes, "\(name)")
            }
        }
        try store.close()
    }

    @Test("Decimals of many sizes are ordered as numbers, and equal ones have equal bytes")
    func decimals() throws {
        var random = SplitMix64(seed: randomSeed())
        let fixed = [
            "0", "-0", "1", "1.0", "10", "0.1", "1e127", "1e-127", "-1e127", "-1e-127", "9.99",
            "10.01",
            "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
            "0.00000000000000000000000000000000000001", "100e-2", "1e0",
        ].compactMap { Decimal(string: $0) }
        let numbers = fixed + (0..<200).map { _ in SampleValues.decimal(&random) }
        for a in numbers {
            for b in numbers {
                let found = sign(DecimalKey.bytes(of: a), DecimalKey.bytes(of: b))
                let expected = a < b ? -1 : a == b ? 0 : 1
                #expect(found == expected, "\(a) and \(b)")
            }
        }
    }

    @Test("Both zeros have one key, and infinities are the ends")
    func zeros() {
        func real(_ number: Double) -> [UInt8] { key([(.double(number), .double)]).bytes }
        #expect(real(-0.0) == real(0))
        #expect(sign(real(-.infinity), real(-.greatestFiniteMagnitude)) < 0)
        #expect(sign(real(.greatestFiniteMagnitude), real(.infinity)) < 0)
        #expect(sign(real(-.leastNonzeroMagnitude), real(0)) < 0)
    }

    @Test("Values that a kind has no place for are refused, not guessed")
    func noPlace() {
        func hasPlace(_ value: StoredValue, _ kind: SlotKind) -> Bool {
            var builder = KeyBuilder()
            builder.begin(7)
            return builder.append(value, as: kind)
        }
        #expect(!hasPlace(.double(0.5), .integer))
        #expect(!hasPlace(.double(0x1p63), .integer))
        #expect(!hasPlace(.integer((1 << 53) + 1), .double))
        #expect(!hasPlace(.text("1"), .integer))
        #expect(!hasPlace(.integer(2), .boolean))
        #expect(!hasPlace(.double(1), .decimal))
        #expect(!hasPlace(.integer(1), .date))
        #expect(hasPlace(.double(3), .integer) && hasPlace(.boolean(true), .integer))
        #expect(hasPlace(.integer(3), .decimal) && hasPlace(.uri("a"), .text))
    }
}
