import DuramenArchives
import Foundation

/// Archives that Core Data wrote, from stores of public repositories.
enum AppleArchive {
    /// A dictionary from a UUID to 1, framework 1345.
    static let vectorClock = data(
        "YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRB"
            + "cmNoaXZlctEICVRyb290gAGmCwwVGR8gVSRudWxs0w0ODxASFFdOUy5rZXlzWk5TLm9iamVjdHNWJGNsYXNz"
            + "oRGAAqETgASABdIWDxcYXE5TLnV1aWRieXRlc08QEK9hIF8cOUD0htaCC244rQ2AA9IaGxwdWiRjbGFzc25h"
            + "bWVYJGNsYXNzZXNWTlNVVUlEohweWE5TT2JqZWN0EAHSGhshIlxOU0RpY3Rpb25hcnmiIx5cTlNEaWN0aW9u"
            + "YXJ5AAgAEQAaACQAKQAyADcASQBMAFEAUwBaAGAAZwBvAHoAgQCDAIUAhwCJAIsAkACdALAAsgC3AMIAywDS"
            + "ANUA3gDgAOUA8gD1AAAAAAAAAgEAAAAAAAAAJAAAAAAAAAAAAAAAAAAAAQI=")
    /// An object of an application's class, framework 1344.
    static let page = data(
        "YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRB"
            + "cmNoaXZlctEICVRyb290gAGkCwwRElUkbnVsbNINDg8QVHRleHRWJGNsYXNzgAKAA18QE2NvbnRlbnQgZm9y"
            + "IHBhZ2UgMTjSExQVFlokY2xhc3NuYW1lWCRjbGFzc2VzV0NvbnRlbnSiFRdYTlNPYmplY3QIERokKTI3SUxR"
            + "U1heY2hvcXOJjpmiqq0AAAAAAAABAQAAAAAAAAAYAAAAAAAAAAAAAAAAAAAAtg==")

    private static func data(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}

/// What reading gives: a value, or the code of the error.
func reading(
    _ bytes: [UInt8], allowing classes: Set<String> = []
) -> Result<ArchivedValue, ArchiveError> {
    Result { () throws(ArchiveError) in
        try ArchivedValue(archive: Data(bytes), allowing: classes)
    }
}

/// The code of the error that reading ends with; nil when it gives a value.
func code(_ bytes: [UInt8], allowing classes: Set<String> = []) -> ArchiveError.Code? {
    if case .failure(let error) = reading(bytes, allowing: classes) { error.code } else { nil }
}

/// One value of each kind.
let samples: [ArchivedValue] = [
    .null, .string(""), .string("hello"), .string("a text of more than eleven"),
    .string("Grüße, 世界 🌍"), .integer(0), .integer(1), .integer(-1), .integer(255), .integer(256),
    .integer(65_536), .integer(4_294_967_296), .integer(.max), .integer(.min),
    .unsigned(UInt64(Int64.max) + 1), .unsigned(.max), .double(1.5), .double(-0.0),
    .double(.infinity), .float(0.1), .boolean(true), .boolean(false),
    .decimal(Decimal(string: "-12.34") ?? 0), .decimal(0), .decimal(.nan),
    .decimal(Decimal(string: "340282366920938463463374607431768211455") ?? 0),
    .decimal(Decimal(string: "1e-100") ?? 0), .date(Date(timeIntervalSinceReferenceDate: 12.5)),
    .data(Data()), .data(Data([1, 2, 3])), .data(Data(repeating: 7, count: 70_000)),
    .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
    .url(ArchivedURL("https://example.com/a?b#c")),
    .url(ArchivedURL("c", base: ArchivedURL("b/", base: ArchivedURL("https://example.com/")))),
    .array([]), .array([.string("a"), .string("a"), .null]), .set([.integer(1), .integer(2)]),
    .orderedSet([.string("b"), .string("a")]), .dictionary([]),
    .sorted(["b": .integer(2), "a": .array([.boolean(true)])]),
    .dictionary([.init(.integer(1), .null), .init(.date(.init(timeIntervalSince1970: 0)), .null)]),
    .mutable(.string("m")), .mutable(.data(Data([9]))), .mutable(.array([.null])),
    .mutable(.set([.null])), .mutable(.orderedSet([.null])), .mutable(.dictionary([])),
    .array([.date(.distantPast), .date(.distantPast), .date(.distantFuture)]),
    .orderedSet((0..<40).map { .integer($0) }),
    .array((0..<300).map { .string("element \($0)") }),
]
