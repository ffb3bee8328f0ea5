public import DuramenModel

/// The outcome of a save that did not fail.
public enum SaveOutcome: Sendable {
    /// The change set was written.
    case saved(SaveReceipt)
    /// Nothing was written; these are all conflicts.
    case conflicted([StoreConflict])
}

/// The new versions after a save.
public struct SaveReceipt: Sendable {
    /// The state that the save created.
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
    /// The complete row as it is stored now.
    public var row: Row
    /// The previous row; nil for a new object.
    public var base: Row?

    /// Describes a row.
    public init(row: Row, base: Row?) {
        self.row = row
        self.base = base
    }
}

/// A reason why a save was refused.
public enum StoreConflict: Sendable {
    /// The version of the stored row is not the one that the change, deletion or check is based on.
    /// There is at most one such conflict per object.
    case version(VersionConflict)
    /// Two rows of the final state would share unique values.
    case uniqueness(UniquenessConflict)
}

/// A row that was changed or deleted by another save.
public struct VersionConflict: Sendable {
    /// The object's ID.
    public var id: ManagedObjectID
    /// The version that the change, deletion or check is based on.
    public var baseVersion: RowVersion
    /// The row as it is stored now; nil when it was deleted.
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
    /// The other object, stored or of this change set.
    public var otherID: ManagedObjectID
    /// The other object's row if it is stored and the change set does not change it.
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
