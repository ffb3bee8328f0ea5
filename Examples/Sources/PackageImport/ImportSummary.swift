/// What an import did.
public struct ImportSummary: Sendable, Hashable {
    /// Packages that the store did not list before.
    public var inserted = 0
    /// Packages that the store listed with other values.
    public var updated = 0
    /// Packages that the store listed as they are, so that nothing was written for them.
    public var unchanged = 0
    /// Stanzas that were skipped.
    public var malformed = 0

    /// Creates a summary of nothing.
    public init() {}

    /// The stanzas that were taken.
    public var packages: Int { inserted + updated + unchanged }

    /// Adds what another part of the import did.
    public static func += (sum: inout ImportSummary, part: ImportSummary) {
        sum.inserted += part.inserted
        sum.updated += part.updated
        sum.unchanged += part.unchanged
        sum.malformed += part.malformed
    }
}

extension ImportSummary: CustomStringConvertible {
    /// The counts in words.
    public var description: String {
        "\(inserted) new, \(updated) updated, \(unchanged) unchanged, \(malformed) malformed"
    }
}
