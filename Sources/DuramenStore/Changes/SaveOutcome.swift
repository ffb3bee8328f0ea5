public import DuramenModel

/// The outcome of a save that did not fail.
public enum SaveOutcome: Sendable {
    /// The change set is written.
    case saved(SaveReceipt)
    /// Nothing is written; these are all the reasons.
    case conflicted([StoreConflict])
}

/// The new versions after a save.
public struct SaveReceipt: Sendable {
    /// The state that the save made.
    public var generation: StoreGeneration
    /// The version of every inserted row, in the order of the change set.
    public var insertedVersions: [RowVersion]
    /// The version of every updated row, in the order of the change set.
    public var updatedVersions: [RowVersion]
    /// The rows with derived attributes that got new values: rows of the change set, and of other
    /// objects.
    public var derivedRows: [DerivedRow] = []

    /// Describes a save.
    public init(
        generation: StoreGeneration, insertedVersions: [RowVersion], updatedVersions: [RowVersion]
    ) {
        self.generation = generation
        self.insertedVersions = insertedVersions
        self.updatedVersions = updatedVersions
    }
}

/// A row with derived attributes that a save gave new values.
public struct DerivedRow: Sendable {
    /// The row as it is stored now, whole.
    public var row: Row
    /// The row as it was stored before; nil for a new one.
    public var base: Row?

    /// Describes a row.
    public init(row: Row, base: Row?) {
        self.row = row
        self.base = base
    }
}

/// One reason why a save was refused.
public enum StoreConflict: Sendable {
    /// The stored row has another version than the change, deletion or check is based on. There is
    /// one such conflict for an object at most.
    case version(VersionConflict)
    /// Two rows of the final state would share unique values.
    case uniqueness(UniquenessConflict)
}

/// A row that somebody else changed or deleted.
public struct VersionConflict: Sendable {
    /// The object.
    public var id: ManagedObjectID
    /// The version that the change, deletion or check is based on.
    public var baseVersion: RowVersion
    /// The row as it is stored now; nil when it is gone.
    public var storedRow: Row?

    /// Describes a conflict.
    public init(id: ManagedObjectID, baseVersion: RowVersion, storedRow: Row?) {
        self.id = id
        self.baseVersion = baseVersion
        self.storedRow = storedRow
    }
}

/// Two rows that would share unique values.
public struct UniquenessConflict: Sendable {
    /// The constraint.
    public var constraint: UniquenessConstraint
    /// The object of the change set.
    public var id: ManagedObjectID
    /// The other object, stored or of the same change set.
    public var otherID: ManagedObjectID
    /// The other object's row when it is stored and the change set leaves it as it is.
    public var storedRow: Row?

    /// Describes a conflict.
    public init(
        constraint: UniquenessConstraint, id: ManagedObjectID, otherID: ManagedObjectID,
        storedRow: Row?
    ) {
        self.constraint = constraint
        self.id = id
        self.otherID = otherID
        self.storedRow = storedRow
    }
}
