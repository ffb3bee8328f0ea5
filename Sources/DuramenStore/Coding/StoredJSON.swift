public import Foundation

/// The JSON in which stores keep metadata, consumers of their history, and tombstones.
public enum StoredJSON {
    // JSON cannot express these values.
    private static let words = (infinity: "infinity", minus: "-infinity", nan: "nan")

    /// Returns a value as JSON. Equal values have equal bytes.
    ///
    /// - Throws: `.invalidRequest` for a value that has no JSON.
    public static func bytes(of value: some Encodable) throws(StoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: words.infinity, negativeInfinity: words.minus, nan: words.nan)
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw StoreError(
                .invalidRequest, "A value cannot be written as JSON; give another value.")
        }
    }

    /// Reads what ``bytes(of:)`` wrote; nil if it is damaged.
    public static func value<Value: Decodable>(
        _ type: Value.Type = Value.self, of bytes: some ContiguousBytes
    ) -> Value? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: words.infinity, negativeInfinity: words.minus, nan: words.nan)
        return bytes.withUnsafeBytes { try? decoder.decode(type, from: Data($0)) }
    }
}
