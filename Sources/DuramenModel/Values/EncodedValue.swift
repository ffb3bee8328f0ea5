package import Foundation

/// The bytes of a transformable attribute's value: JSON in UTF-8, with sorted keys.
package enum EncodedValue {
    /// The most bytes that a value may have.
    package static let maximumBytes = 16 << 20
    /// The most arrays and objects that may stand within each other: decoders recurse.
    package static let maximumDepth = 64

    /// The bytes of a value.
    package static func encode(_ value: some Encodable) throws(CodingFailure) -> Data {
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

    /// The value of bytes, whatever they are.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data
    ) throws(CodingFailure) -> Value {
        try check(data)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            // What a decoder says may quote the value.
            throw CodingFailure(problem: "is no encoded \(type)")
        }
    }

    /// Refuses what is too large or too deep, before anything recurses into it.
    private static func check(_ data: Data) throws(CodingFailure) {
        if data.count > maximumBytes {
            throw CodingFailure(
                problem: "takes more than \(maximumBytes >> 20) MiB when it is encoded")
        }
        switch data.withUnsafeBytes(depth(of:)) {
        case nil: throw CodingFailure(problem: "is no JSON in UTF-8")
        case let depth? where depth > maximumDepth:
            throw CodingFailure(problem: "is nested more than \(maximumDepth) deep")
        default: break
        }
    }

    /// How deep arrays and objects stand within each other, at most; nil for bytes that are no JSON in
    /// UTF-8, which a decoder might take for another encoding, in which brackets look different.
    ///
    /// It judges nothing else: what it lets pass is decoded by a parser that does.
    static func depth(of bytes: UnsafeRawBufferPointer) -> Int? {
        var depth = 0
        var deepest = 0
        var isText = false
        var isEscaped = false
        for byte in bytes {
            // Neither occurs in UTF-8; the first occurs in every text of UTF-16 or UTF-32 with a bracket.
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
package struct CodingFailure: Error, Hashable {
    /// The end of a sentence, which quotes no value.
    package let problem: String

    /// Describes a failure.
    package init(problem: String) { self.problem = problem }
}
