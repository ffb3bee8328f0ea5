/// A hash that identifies bytes by their content.
///
/// Use it for names of values' files. It guards against mistakes and damage only.
public enum ContentHash {
    /// Returns the 32 bytes of the SHA-256 digest of a value.
    ///
    /// - Complexity: O(*n*) in the number of bytes, of which no copy is made.
    public static func sha256(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        SHA256.digest(of: bytes)
    }
}
