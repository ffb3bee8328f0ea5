/// What an archive of a value may cost.
enum ArchiveLimits {
    /// The most bytes that an archive may have.
    static let bytes = 16 << 20
    /// The most collections and objects that may stand within each other.
    static let depth = 64

    /// The most bytes that are decoded of an archive. One that Apple's archiver wrote needs less
    /// than three times its size, because every object is decoded once.
    static func decodedBytes(of archive: Int) -> Int { archive * 16 + (1 << 20) }

    /// The most bytes that its value may have, where an object counts once for each reference to
    /// it.
    ///
    /// An archive holds an object once. Of ten arrays that each hold the next one twice, the first
    /// has a value of a thousand arrays.
    static func valueBytes(of archive: Int) -> Int { archive * 64 + (1 << 20) }
}
