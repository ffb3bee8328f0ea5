import Foundation

extension ArchivedValue {
    /// Decodes a value of a Swift type.
    ///
    /// Strings, numbers, dates, data, UUIDs and URLs are decoded from values of their classes, and
    /// arrays and sets from arrays or sets. Dictionaries with any keys, and structs, are decoded
    /// from dictionaries. A number fits if the type represents it exactly.
    ///
    /// ```swift
    /// let tags = try ArchivedValue(archive: bytes).decoded(as: [String].self)
    /// ```
    /// - Throws: ``ArchiveError`` `.typeMismatch` if it is not a value of the type.
    public func decoded<Value: Decodable>(as type: Value.Type) throws(ArchiveError) -> Value {
        do {
            return try ArchivedValueDecoder(self, at: []).decode(type)
        } catch {
            // The message of a decoder may quote the value.
            throw ArchiveError(.typeMismatch, "does not hold a value of the type \(type)")
        }
    }

    /// Encodes a value of a Swift type, in the form of Foundation's classes on Apple's platforms.
    ///
    /// Elements of sets and entries of dictionaries are sorted, so that equal values have equal
    /// archives.
    /// - Throws: ``ArchiveError`` `.typeMismatch` if the value cannot be encoded.
    public init(encoding value: some Encodable) throws(ArchiveError) {
        do {
            self = try ArchivedValueEncoder.value(of: value, at: [])
        } catch {
            throw ArchiveError(
                .typeMismatch, "cannot hold a value of the type \(Swift.type(of: value))")
        }
    }
}

/// In other encodings, such as JSON, a value is the data of its archive.
extension ArchivedValue: Codable {
    /// Decodes an archive.
    public init(from decoder: any Decoder) throws {
        let archive = try decoder.singleValueContainer().decode(Data.self)
        self = try ArchivedValue(archive: archive)
    }

    /// Encodes the value's archive.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(try archive())
    }
}
