public import DuramenModel
public import DuramenQuery
public import Foundation

/// All edits of one save. They are simultaneous: their order has no meaning.
///
/// A value, kept behind one reference: many hands pass it on, and each copy of so many lists would
/// count the references of all.
public struct ChangeSet: Sendable {
    private var box: Box

    /// Makes a change set.
    ///
    /// - Parameter identifier: The save's own name; a new one by default.
    public init(
        identifier: UUID? = nil, inserts: RowList = [], updates: [RowUpdate] = [],
        deletes: [RowDeletion] = [], edges: [EdgeChange] = [], checks: [RowCheck] = [],
        metadata: [String: StoredValue] = [:], author: String? = nil, contextName: String? = nil,
        cancellation: CancellationFlag? = nil
    ) {
        box = Box(
            Parts(
                identifier: identifier ?? SaveIdentifiers.next(), inserts: inserts,
                updates: updates, deletes: deletes, edges: edges, checks: checks,
                metadata: metadata, author: author, contextName: contextName,
                cancellation: cancellation))
    }

    /// The save's own name, recorded with it, by which an unknown outcome is resolved.
    public var identifier: UUID {
        get { box.parts.identifier }
        set { own().parts.identifier = newValue }
    }

    /// New rows, whole, with allocated keys.
    public var inserts: RowList {
        get { box.parts.inserts }
        _modify { yield &own().parts.inserts }
    }

    /// Changed rows.
    public var updates: [RowUpdate] {
        get { box.parts.updates }
        _modify { yield &own().parts.updates }
    }

    /// Rows to take away. Their many-to-many pairs go with them.
    public var deletes: [RowDeletion] {
        get { box.parts.deletes }
        _modify { yield &own().parts.deletes }
    }

    /// Changes of many-to-many relationships.
    public var edges: [EdgeChange] {
        get { box.parts.edges }
        _modify { yield &own().parts.edges }
    }

    /// Rows that must be unchanged, whether or not the save writes them. They are compared with the
    /// stored rows before the save; differing rows are conflicts.
    public var checks: [RowCheck] {
        get { box.parts.checks }
        _modify { yield &own().parts.checks }
    }

    /// The application's metadata entries to set; null takes an entry away.
    public var metadata: [String: StoredValue] {
        get { box.parts.metadata }
        _modify { yield &own().parts.metadata }
    }

    /// The author of the save, recorded in the history.
    public var author: String? {
        get { box.parts.author }
        set { own().parts.author = newValue }
    }

    /// The name of the context that saves, for history.
    public var contextName: String? {
        get { box.parts.contextName }
        set { own().parts.contextName = newValue }
    }

    /// A flag that, when raised before the commit, ends the save with `.cancelled`.
    public var cancellation: CancellationFlag? {
        get { box.parts.cancellation }
        set { own().parts.cancellation = newValue }
    }

    /// Whether derived attributes are written as the rows have them, rather than computed: for
    /// copies of stores, and for whoever has computed them.
    public var keepsDerivedValues: Bool {
        get { box.parts.keepsDerivedValues }
        set { own().parts.keepsDerivedValues = newValue }
    }

    /// Whether there is nothing to write and nothing to compare.
    public var isEmpty: Bool {
        inserts.isEmpty && updates.isEmpty && deletes.isEmpty && edges.isEmpty && checks.isEmpty
            && metadata.isEmpty
    }

    /// The box, which no other change set has.
    private mutating func own() -> Box {
        if !isKnownUniquelyReferenced(&box) { box = Box(box.parts) }
        return box
    }

    private struct Parts {
        var identifier: UUID
        var inserts: RowList
        var updates: [RowUpdate]
        var deletes: [RowDeletion]
        var edges: [EdgeChange]
        var checks: [RowCheck]
        var metadata: [String: StoredValue]
        var author: String?
        var contextName: String?
        var cancellation: CancellationFlag?
        var keepsDerivedValues = false
    }

    // Sound: written only by the one change set that refers to it, so that exclusivity need not be
    // checked.
    private final class Box: @unchecked Sendable {
        @exclusivity(unchecked) var parts: Parts

        init(_ parts: Parts) { self.parts = parts }
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
/// Saves that compare only what they write let two of them pass that each write what the other one
/// only read. With a check of what was read, one of the two conflicts.
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
/// Adding a pair that is there gives it the numbers that the edge has, and does nothing without;
/// taking one away that is not there does nothing. A relationship that is its own inverse has each
/// pair in both directions, and one edge adds or takes away both.
public struct EdgeChange: Sendable, Hashable {
    /// One pair.
    public struct Edge: Sendable, Hashable {
        /// The object that has the relationship.
        public var source: ManagedObjectID
        /// The destination of the reference.
        public var destination: ManagedObjectID
        /// The destination's number in the order of the source's relationship; nil leaves it as it
        /// is.
        public var order: Int64?
        /// The source's number in the order of the destination's inverse relationship; nil leaves
        /// it as it is.
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
