/// A hash that identifies bytes by their content.
///
/// Use it to name the files of large values. It guards against mistakes and damage, not attackers.
public enum ContentHash {
    /// Returns the 32 bytes of the SHA-256 digest of a value.
    ///
    /// - Complexity: O(*n*) in the number of bytes. The bytes are not copied.
    public static func sha256(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        SHA256.digest(of: bytes)
    }
}
