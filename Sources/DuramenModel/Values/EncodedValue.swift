import DuramenArchives
public import Foundation

/// The bytes of a transformable attribute's value: JSON in UTF-8 with sorted keys, or a keyed
/// archive. The first bytes tell them apart.
public enum EncodedValue: Sendable {
    /// The form of the bytes.
    public enum Form: Sendable {
        /// JSON in UTF-8 with sorted keys.
        case json
        /// A keyed archive, the form of Core Data's own transformers.
        case archive

        /// The form of bytes that can be read.
        public init(of data: Data) { self = ArchivedValue.isArchive(data) ? .archive : .json }
    }

    /// The most bytes that a value may have.
    public static let maximumBytes = 16 << 20
    /// The most arrays and objects that may stand within each other: decoders recurse.
    public static let maximumDepth = 64

    /// The bytes of a value.
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

    /// The value of bytes in either form, whatever they are.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data
    ) throws(CodingFailure) -> Value {
        if ArchivedValue.isArchive(data) { return try unarchive(type, from: data) }
        try check(data)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            // What a decoder says may quote the value.
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

    /// Whether bytes are JSON within the limits, of whatever type.
    public static func isJSON(_ data: Data) -> Bool {
        struct Anything: Decodable { init(from decoder: any Decoder) {} }
        return (try? decode(Anything.self, from: data)) != nil && !ArchivedValue.isArchive(data)
    }

    /// Refuses what is too large or too deep, before anything recurses into it.
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

    /// How deep arrays and objects stand within each other, at most; nil for bytes that are no JSON
    /// in UTF-8, which a decoder might take for another encoding, in which brackets look different.
    ///
    /// It judges nothing else: what it lets pass is decoded by a parser that does.
    static func depth(of bytes: UnsafeRawBufferPointer) -> Int? {
        var depth = 0
        var deepest = 0
        var isText = false
        var isEscaped = false
        for byte in bytes {
            // Neither occurs in UTF-8; the first occurs in every text of UTF-16 or UTF-32 with a
            // bracket.
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

/// Why a value cannot be encoded, or bytes be decoded.
public struct CodingFailure: Error, Hashable {
    /// The end of a sentence, which quotes no value.
    public let problem: String

    /// Describes a failure.
    public init(problem: String) { self.problem = problem }
}
