/// How damage of a store is noticed.
struct DamageChecks: Sendable {
    var file = FileCheck.automatic
    var rows: Bool?
}

extension PersistentStoreDescription {
    /// When the structure of the store's file is checked, in stores whose engine does not detect
    /// damage itself.
    public var fileCheck: FileCheck {
        get { damageChecks.file }
        set { damageChecks.file = newValue }
    }

    /// Whether a SQLite store keeps a checksum of each row; nil for as it is. See
    /// ``rowChecksums(_:)``.
    public var rowChecksums: Bool? {
        get { damageChecks.rows }
        set { damageChecks.rows = newValue }
    }

    /// Returns this description with another choice of when the structure of the store's file is
    /// checked.
    ///
    /// ```swift
    /// // A server that opens a store of many gigabytes, on a disk that checks its own sums.
    /// let description = PersistentStoreDescription.lmdb("quakes.lmdb").fileCheck(.whenChanged)
    /// ```
    public func fileCheck(_ fileCheck: FileCheck) -> PersistentStoreDescription {
        var copy = self
        copy.fileCheck = fileCheck
        return copy
    }

    /// Returns this description for a SQLite store that keeps a checksum of each row.
    ///
    /// SQLite does not notice when a disk changes bytes of a value. With checksums, reading an
    /// altered row fails with `.damagedFile`, and a verification lists all of them. Counts,
    /// conditions and aggregates are computed without a check.
    ///
    /// The store keeps checksums until it is opened with false. Once they exist, everybody who
    /// opens the store checks and writes them; Core Data ignores them, and the rows that it writes
    /// are not checked. The first opening reads all rows. LMDB always has checksums, and ignores
    /// the option.
    public func rowChecksums(_ isOn: Bool = true) -> PersistentStoreDescription {
        var copy = self
        copy.rowChecksums = isOn
        return copy
    }
}
