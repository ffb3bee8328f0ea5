public import DuramenModel
import Foundation

/// Values that cause errors in stores: limits, nulls, empty values, odd text, old and precise
/// dates.
public enum SampleValues {
    /// One ordinary value for each attribute of `Sample`.
    public static let plain: [String: StoredValue] = [
        "small": .integer(-7), "medium": .integer(70_000), "large": .integer(7_000_000_000),
        "exact": .decimal(decimal("12.34")), "real": .double(0.1), "single": .double(0.5),
        "text": .text("Grüße"), "flag": .boolean(true), "moment": date(700_000_000.25),
        "bytes": .binary(Data([0, 1, 254, 255])),
        "token": .uuid(uuid("6F9619FF-8B86-D011-B42D-00C04FC964FF")),
        "link": .uri("https://example.org/a?b=c#d"),
    ]

    /// All test values of each attribute of `Sample`; null is always tested too.
    public static let all: [String: [StoredValue]] = [
        "small": [0, 1, -1, 42, Int64(Int16.max), Int64(Int16.min)].map { .integer($0) },
        "medium": [0, 1, -1, Int64(Int32.max), Int64(Int32.min)].map { .integer($0) },
        "large": [0, 1, -1, 1 << 53, (1 << 53) + 1, .max, .max - 1, .min, .min + 1]
            .map { .integer($0) },
        "exact": [
            "0", "1", "-1", "0.1", "12.34", "-12.34", "1.5", "0.000000000000000000000000000001",
            "99999999999999999999999999999999999999", "9007199254740993", "123456789.987654321",
        ].map { .decimal(decimal($0)) },
        "real": [
            0, 1, -1, 0.1, 0.30000000000000004, 1e308, .leastNonzeroMagnitude,
            -.greatestFiniteMagnitude, .infinity,
            -.infinity, 9_007_199_254_740_992,
        ].map { .double($0) },
        "single": [
            0, 0.5, -0.5, Double(Float(0.1)), Double(Float.greatestFiniteMagnitude), .infinity,
        ]
        .map { .double($0) },
        "text": texts.map { .text($0) },
        "flag": [.boolean(true), .boolean(false)],
        "moment": [
            0, 0.001, 0.0005, -0.0005, -978_307_200, -978_307_200.5, 700_000_000.123456,
            -63_114_076_800, 64_092_211_200, 1e-6,
        ].map { date($0) },
        "bytes": [[], [0], [0, 0], [1], [255], [97, 0, 98], Array(0...255)]
            .map { .binary(Data($0 as [UInt8])) },
        "token": [
            "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
            "6F9619FF-8B86-D011-B42D-00C04FC964FF", "80000000-0000-0000-0000-000000000001",
        ].map { .uuid(uuid($0)) },
        "link": [
            .uri("https://example.org/"), .uri("https://example.org/a?b=c#d"), .uri("urn:isbn:0"),
            .uri("file:///tmp/%C3%A9"),
        ],
    ]

    /// Texts: empty, composed and decomposed, NUL inside, case, wildcards, beyond the basic plane.
    public static let texts: [StoredText] = [
        "", "a", "A", "ab", "aB", "b", " a", "a ", "\u{E9}", "e\u{301}", "\u{C9}", "E\u{301}", "e",
        "ab\u{0}cd", "ab\u{0}", "\u{0}", "a%b", "a_b", "a*b", "a?b", "a\\b", "'", "\"", "]", "ß",
        "SS",
        "ss", "\u{130}", "i", "I", "ı", "\u{FFFD}", "\u{1F600}", "\u{FF21}", "Ärger", "ärger",
        "arger",
        "10", "9", "1e3", "\n", "naïve", "NAÏVE", "naive",
    ]

    static func decimal(_ text: String) -> Decimal {
        Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? 0
    }

    static func date(_ seconds: Double) -> StoredValue {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    static func uuid(_ text: String) -> UUID { UUID(uuidString: text) ?? UUID() }
}
