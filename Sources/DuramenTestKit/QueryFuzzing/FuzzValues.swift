import DuramenModel
import Foundation

/// Values of each kind: some equal, some odd, and some out of the range of other kinds.
enum FuzzValues {
    /// A value for a question, of the widest kind.
    static func constant(ofKind kind: SlotKind, _ random: inout SplitMix64) -> StoredValue {
        switch kind {
        case .boolean: .boolean(random.oneIn(2))
        case .integer: .integer(random.pick(integers))
        case .double, .float: .double(random.pick(doubles))
        case .decimal: .decimal(random.pick(decimals))
        case .text: .text(random.pick(texts))
        case .uri: .uri(random.pick(uris))
        case .date: random.pick(dates)
        case .binary: .binary(random.pick(bytes))
        case .uuid: .uuid(random.pick(uuids))
        case .reference, .referenceEntity, .transformable: .null
        }
    }

    /// A value that fits an attribute; odd values and null are frequent.
    static func value(of attribute: Attribute, _ random: inout SplitMix64) -> StoredValue {
        if random.oneIn(5) { return .null }
        switch (attribute.kind, attribute.type) {
        case (.integer, .integer16):
            return .integer(Int64(random.pick([Int16.min, -1, 0, 1, 2, 7, .max])))
        case (.integer, .integer32):
            return .integer(Int64(random.pick([Int32.min, -1, 0, 1, 3, .max])))
        case (.float, _): return .double(Double(random.pick(floats)))
        case (.transformable, _): return .binary(random.pick(bytes))
        default: return constant(ofKind: attribute.kind, &random)
        }
    }

    static let integers: [Int64] = [
        .min, .min + 1, -2, -1, 0, 1, 2, 3, 42, 1 << 53, (1 << 53) + 1, .max - 1, .max,
    ]

    static let doubles: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1e300, -0x1p63, -1.5, -0.0, 0, 0.1, 0.5, 1, 2,
        9_007_199_254_740_992, 0x1p63, .infinity, .leastNonzeroMagnitude, .leastNormalMagnitude,
    ]

    static let floats: [Float] = [
        -.greatestFiniteMagnitude, -1.5, -0.0, 0, 0.1, 0.5, 1, 2, .leastNonzeroMagnitude, .infinity,
    ]

    static let decimals = [
        "-1", "0", "0.1", "0.5", "1", "2", "12.34", "9007199254740993",
        "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
        "0.00000000000000000001",
    ].map(SampleValues.decimal)

    // 1900, just before and after 2001, 2023, 3902, and the first and last year that Foundation
    // formats.
    static let dates =
        [
            -978_307_200.5, -1, -0.0, 0, 0.5, 1, 700_000_000, 700_000_000.123456, 6e10,
            -63_114_076_800, 252_423_993_599,
        ].map(SampleValues.date)

    static let bytes: [Data] = ([[], [0], [1], [0, 1], [97, 0, 98], [255]] as [[UInt8]])
        .map { Data($0) }

    static let uuids = [
        "00000000-0000-0000-0000-000000000000", "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        "80000000-0000-0000-0000-000000000001", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    ].map(SampleValues.uuid)

    static let uris: [StoredText] = [
        "http://a/b", "a", "urn:x", "http://é/", "http://e\u{301}/", "",
    ]

    static let composedText: StoredText = "\u{E9}"
    static let decomposedText: StoredText = "e\u{301}"
    static let textWithNull: StoredText = "a\u{0}b"

    static let texts: [StoredText] = [
        "", "a", "A", "b", "ab", "aB", composedText, decomposedText, "\u{C9}", "E", textWithNull,
        "\u{0}", "a%", "a_b", "*", "a?b", "\\", "10", "-1.5", "1e3", "ß", "ss", "\u{130}", "ı",
        "\u{1F600}", "\u{FFFD}", " ", "a ", "naïve", "NAÏVE", "naive", "2001-01-01T00:00:00Z",
    ]
}
