/// The number of versions of models, and the number of unreadable versions.
public struct ModelVersionCount: Sendable, Hashable, CustomStringConvertible {
    /// The number of versions that were read.
    public var read: Int
    /// The number of versions in the binary format of Xcode before 4.3.
    public var inOldFormat: Int

    /// Creates a count.
    public init(read: Int = 0, inOldFormat: Int = 0) {
        self.read = read
        self.inOldFormat = inOldFormat
    }

    /// Adds another count.
    public static func += (count: inout Self, other: Self) {
        count.read += other.read
        count.inOldFormat += other.inOldFormat
    }

    /// A text such as `87 of 99 versions; 12 in the format before Xcode 4.3`.
    public var description: String {
        let noun = all == 1 ? "version" : "versions"
        return inOldFormat == 0 ? "\(all) \(noun)" : "\(read) of \(all) \(noun); \(remark)"
    }

    /// The number of all versions.
    package var all: Int { read + inOldFormat }

    /// The text about versions that could not be read.
    package var remark: String { "\(inOldFormat) in the format before Xcode 4.3" }
}
