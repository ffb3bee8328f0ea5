public import Foundation

/// The elements that `context.import(from:into:)` reads: an
/// array of JSON objects, or a file with one JSON object a line.
///
/// A file is read in pieces, so it may be larger than the memory.
public struct ImportFeed: Sendable {
    /// Where the bytes come from.
    enum Source: Sendable {
        case bytes([UInt8])
        case file(String)
        case values(@Sendable () -> (() throws -> Data?))
    }

    /// How elements stand in the bytes.
    enum Form: Sendable {
        /// In an array, which a JSON pointer names in the document.
        case array(pointer: String)
        /// On lines.
        case lines
    }

    let source: Source
    let form: Form
    /// The form of dates, unless the mapping names one.
    let dateFormat: ImportDateFormat

    /// A JSON document in memory.
    ///
    /// - Parameters:
    ///   - data: The document in UTF-8.
    ///   - pointer: The array in the document, as a JSON pointer (RFC 6901) such as `/features`;
    ///     empty for a document that is an array.
    public static func json(_ data: Data, at pointer: String = "") -> ImportFeed {
        ImportFeed(
            source: .bytes([UInt8](data)), form: .array(pointer: pointer), dateFormat: .iso8601)
    }

    /// JSON objects in memory, one a line (JSON Lines). A line that is damaged does not affect the
    /// others.
    ///
    /// - Parameter data: The lines in UTF-8.
    public static func jsonLines(_ data: Data) -> ImportFeed {
        ImportFeed(source: .bytes([UInt8](data)), form: .lines, dateFormat: .iso8601)
    }

    /// A file, which is read in pieces. Of a name that ends in `.jsonl` or `.ndjson` each line is
    /// an element; any other file is a JSON document.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - pointer: The array in the document, as a JSON pointer (RFC 6901) such as `/features`;
    ///     empty for a document that is an array.
    public static func file(_ path: String, at pointer: String = "") -> ImportFeed {
        let isLines = [".jsonl", ".ndjson"].contains { path.lowercased().hasSuffix($0) }
        return ImportFeed(
            source: .file(path), form: isLines ? .lines : .array(pointer: pointer),
            dateFormat: .iso8601)
    }

    /// Values of your own types, such as rows that another reader decoded. Each becomes JSON when
    /// its turn comes.
    ///
    /// - Parameter values: The elements; each must encode as an object.
    public static func values<Values: Sequence & Sendable>(_ values: Values) -> ImportFeed
    where Values.Element: Encodable {
        let source = Source.values {
            let encoder = JSONEncoder()
            // Exact: seconds since the reference date, as dates are stored.
            encoder.dateEncodingStrategy = .deferredToDate
            encoder.outputFormatting = .withoutEscapingSlashes
            var iterator = values.makeIterator()
            return { try iterator.next().map { try encoder.encode($0) } }
        }
        return ImportFeed(source: source, form: .lines, dateFormat: .secondsSinceReferenceDate)
    }
}

/// The form of dates in a feed.
public enum ImportDateFormat: Sendable, Hashable {
    /// A string such as `2026-11-28T09:30:00.250Z`; the time, the fraction and the zone can be
    /// missing. Without a zone it is UTC.
    case iso8601
    /// A number of seconds since 1 January 1970, UTC.
    case secondsSince1970
    /// A number of milliseconds since 1 January 1970, UTC.
    case millisecondsSince1970
    /// A number of seconds since 1 January 2001, UTC, which `Date` encodes itself as.
    case secondsSinceReferenceDate
}
