/// The limits for archives.
enum ArchiveLimits {
    /// The maximum number of bytes of an archive.
    static let bytes = 16 << 20
    /// The maximum depth of nested collections and objects.
    static let depth = 64

    /// Returns the maximum number of bytes to decode. An archive that Apple's archiver wrote needs
    /// less than three times its size, because every object is decoded once.
    static func decodedBytes(of archive: Int) -> Int { archive * 16 + (1 << 20) }

    /// Returns the maximum number of bytes of the value. An object counts once for each reference
    /// to it.
    ///
    /// An archive has each object once. Consider ten arrays that each have the next one twice: the
    /// value of the first has a thousand arrays.
    static func valueBytes(of archive: Int) -> Int { archive * 64 + (1 << 20) }
}
