import DuramenArchives
public import Foundation

/// Encodes and decodes the values of transformable attributes: as JSON in UTF-8 with sorted keys,
/// or as a keyed archive. The first bytes distinguish the two forms.
public enum EncodedValue: Sendable {
    /// The form of the bytes.
    public enum Form: Sendable {
        /// JSON in UTF-8 with sorted keys.
        case json
        /// A keyed archive, the form of Core Data's own transformers.
        case archive

        /// Returns the form of encoded bytes.
        public init(of data: Data) { self = ArchivedValue.isArchive(data) ? .archive : .json }
    }

    /// The maximum number of bytes of an encoded value.
    public static let maximumBytes = 16 << 20
    /// The maximum depth of nested arrays and objects, because decoders recurse.
    public static let maximumDepth = 64

    /// Encodes a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - form: The form of the bytes.
    /// - Throws: ``CodingFailure`` if the value cannot be encoded or exceeds the limits.
    public static func encode(
        _ value: some Encodable, as form: Form = .json
    ) throws(CodingFailure) -> Data {
        if form == .archive { return try archive(value) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            throw CodingFailure(problem: "cannot be encoded as JSON")
        }
        try check(data)
        return data
    }

    private static func archive(_ value: some Encodable) throws(CodingFailure) -> Data {
        do throws(ArchiveError) {
            return try ArchivedValue(encoding: value).archive()
        } catch {
            throw CodingFailure(problem: "cannot be archived: the archive \(error.problem)")
        }
    }

    /// Decodes a value from bytes in either form.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The bytes, which may come from anywhere.
    /// - Throws: ``CodingFailure`` if the bytes are not a value of the type or exceed the limits.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data
    ) throws(CodingFailure) -> Value {
        if ArchivedValue.isArchive(data) { return try unarchive(type, from: data) }
        try check(data)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            // The message of a decoder may quote the value.
            throw CodingFailure(problem: "is not an encoded \(type)")
        }
    }

    private static func unarchive<Value: Decodable>(
        _ type: Value.Type, from data: Data
    ) throws(CodingFailure) -> Value {
        do throws(ArchiveError) {
            return try ArchivedValue(archive: data).decoded(as: type)
        } catch {
            throw CodingFailure(
                problem: "is not an archived \(type): the archive \(error.problem)")
        }
    }

    /// Returns whether bytes are JSON of any type within the limits.
    public static func isJSON(_ data: Data) -> Bool {
        struct Anything: Decodable { init(from decoder: any Decoder) {} }
        return (try? decode(Anything.self, from: data)) != nil && !ArchivedValue.isArchive(data)
    }

    /// Fails for values that are too large or too deep, before a parser recurses into them.
    private static func check(_ data: Data) throws(CodingFailure) {
        if data.count > maximumBytes {
            throw CodingFailure(
                problem: "takes more than \(maximumBytes >> 20) MiB when it is encoded")
        }
        switch data.withUnsafeBytes(depth(of:)) {
        case nil: throw CodingFailure(problem: "is not JSON in UTF-8")
        case let depth? where depth > maximumDepth:
            throw CodingFailure(problem: "is nested more than \(maximumDepth) deep")
        default: break
        }
    }

    /// Returns the maximum depth of nested arrays and objects; nil for bytes that are not JSON in
    /// UTF-8. A decoder could take such bytes for another encoding, in which brackets look
    /// different.
    ///
    /// It checks nothing else; the parser that decodes the bytes does.
    static func depth(of bytes: UnsafeRawBufferPointer) -> Int? {
        var depth = 0
        var deepest = 0
        var isText = false
        var isEscaped = false
        for byte in bytes {
            // Neither byte occurs in UTF-8. The first occurs in every text of UTF-16 or UTF-32 with
            // a bracket.
            if byte == 0 || byte >= 0xFE { return nil }
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = isText
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if isText { continue }
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isText { depth -= 1 }
            default: break
            }
        }
        return deepest
    }
}

/// An error that says why a value cannot be encoded, or bytes cannot be decoded.
public struct CodingFailure: Error, Hashable {
    /// The end of a sentence, which does not quote the value.
    public let problem: String

    /// Creates an error.
    public init(problem: String) { self.problem = problem }
}
