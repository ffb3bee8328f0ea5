public import Foundation

/// The value of a transformable attribute as it is stored, where nobody has said of which type it
/// is.
///
/// The bytes are JSON, a keyed archive, or what the application's own transformer makes. What you
/// set is stored as it is.
public struct EncodedBytes: Codable, Sendable, Hashable {
    /// The bytes.
    public var data: Data

    /// Takes bytes over.
    public init(_ data: Data) { self.data = data }
}

extension CodableType {
    /// A type that is known by its name only.
    init(unregistered identifier: String) {
        self.init(
            identifier, EncodedBytes.self,
            decode: { data throws(CodingFailure) in EncodedBytes(data) },
            encode: { value throws(CodingFailure) in value.data })
    }
}
