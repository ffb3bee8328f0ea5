public import DuramenModel
public import DuramenQuery
public import Foundation

/// Everything that one save writes. The edits are simultaneous: their order means nothing.
public struct ChangeSet: Sendable {
    /// The save's own name, recorded with it, by which an unknown outcome is resolved.
    public var identifier: UUID
    /// New rows, whole, with allocated keys.
    public var inserts: [Row]
    /// Changed rows.
    public var updates: [RowUpdate]
    /// Rows to take away. Their many-to-many pairs go with them.
    public var deletes: [RowDeletion]
    /// Changes of many-to-many relationships.
    public var edges: [EdgeChange]
    /// Rows that must be as they were, whether or not the save writes them. They are compared with what is
    /// stored before the save; those that differ conflict.
    public var checks: [RowCheck]
    /// The application's metadata entries to set; null takes an entry away.
    public var metadata: [String: StoredValue]
    /// Who saves, for history.
    public var author: String?
    /// The name of the context that saves, for history.
    public var contextName: String?
    /// A flag that, when raised before the commit, ends the save with `.cancelled`.
    public var cancellation: CancellationFlag?

    /// Makes a change set.
    public init(
        identifier: UUID = UUID(), inserts: [Row] = [], updates: [RowUpdate] = [],
        deletes: [RowDeletion] = [], edges: [EdgeChange] = [], checks: [RowCheck] = [],
        metadata: [String: StoredValue] = [:], author: String? = nil, contextName: String? = nil,
        cancellation: CancellationFlag? = nil
    ) {
        self.identifier = identifier
        self.inserts = inserts
        self.updates = updates
        self.deletes = deletes
        self.edges = edges
        self.checks = checks
        self.metadata = metadata
        self.author = author
        self.contextName = contextName
        self.cancellation = cancellation
    }

    /// Whether there is nothing to write and nothing to compare.
    public var isEmpty: Bool {
        inserts.isEmpty && updates.isEmpty && deletes.isEmpty && edges.isEmpty && checks.isEmpty
            && metadata.isEmpty
    }
}

/// A changed row.
public struct RowUpdate: Sendable {
    /// The row as it shall be, whole.
    public var row: Row
    /// The version that the change is based on.
    public var baseVersion: RowVersion
    /// The slots that differ from the base.
    public var changedSlots: SlotSet

    /// Describes a change.
    public init(row: Row, baseVersion: RowVersion, changedSlots: SlotSet) {
        self.row = row
        self.baseVersion = baseVersion
        self.changedSlots = changedSlots
    }
}

/// A row to take away.
public struct RowDeletion: Sendable, Hashable {
    /// The object.
    public var id: ManagedObjectID
    /// The version that the deletion is based on.
    public var baseVersion: RowVersion

    /// Describes a deletion.
    public init(id: ManagedObjectID, baseVersion: RowVersion) {
        self.id = id
        self.baseVersion = baseVersion
    }
}

/// A row that a save depends on: it is compared and left as it is.
///
/// Saves that compare only what they write let two of them pass that each write what the other one only
/// read. With a check of what was read, one of the two conflicts.
public struct RowCheck: Sendable, Hashable {
    /// The object.
    public var id: ManagedObjectID
    /// The version that the stored row must have. A row that is gone conflicts too.
    public var baseVersion: RowVersion

    /// Describes a check.
    public init(id: ManagedObjectID, baseVersion: RowVersion) {
        self.id = id
        self.baseVersion = baseVersion
    }
}

/// Pairs added to and taken from one many-to-many relationship, seen from one of its two sides.
///
/// Adding a pair that is there gives it the numbers that the edge has, and does nothing without; taking one
/// away that is not there does nothing. A relationship that is its own inverse has each pair in both
/// directions, and one edge adds or takes away both.
public struct EdgeChange: Sendable, Hashable {
    /// One pair.
    public struct Edge: Sendable, Hashable {
        /// The object that has the relationship.
        public var source: ManagedObjectID
        /// The object that it leads to.
        public var destination: ManagedObjectID
        /// The destination's number in the order of the source's relationship; nil leaves it as it is.
        public var order: Int64?
        /// The source's number in the order of the destination's inverse relationship; nil leaves it as
        /// it is.
        public var inverseOrder: Int64?

        /// Describes a pair.
        public init(
            from source: ManagedObjectID, to destination: ManagedObjectID, order: Int64? = nil,
            inverseOrder: Int64? = nil
        ) {
            self.source = source
            self.destination = destination
            self.order = order
            self.inverseOrder = inverseOrder
        }
    }

    /// The relationship, of which `source` is the owner in every pair.
    public var relationship: RelationshipID
    /// Pairs to add.
    public var added: [Edge]
    /// Pairs to take away.
    public var removed: [Edge]

    /// Describes changes of one relationship.
    public init(relationship: RelationshipID, added: [Edge] = [], removed: [Edge] = []) {
        self.relationship = relationship
        self.added = added
        self.removed = removed
    }
}
