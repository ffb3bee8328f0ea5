public import Foundation

/// The stored bytes of a transformable attribute whose type is not registered.
///
/// The bytes are JSON, a keyed archive, or the output of the application's own transformer. Bytes
/// that you set are stored unchanged.
public struct EncodedBytes: Codable, Sendable, Hashable {
    /// The bytes.
    public var data: Data

    /// Wraps bytes.
    public init(_ data: Data) { self.data = data }
}

extension CodableType {
    /// Creates a type that is known only by its name.
    init(unregistered identifier: String) {
        self.init(
            identifier, EncodedBytes.self,
            decode: { data throws(CodingFailure) in EncodedBytes(data) },
            encode: { value, _ throws(CodingFailure) in value.data })
    }
}
