public import DuramenModel
public import DuramenQuery
public import Foundation

/// All edits of one save. They are simultaneous: their order has no meaning.
///
/// A value that is stored behind one reference: it is passed on often, and a copy would retain each
/// of its many lists.
public struct ChangeSet: Sendable {
    private var box: Box

    /// Creates a change set.
    ///
    /// - Parameters:
    ///   - identifier: The save's identifier; a new one by default.
    ///   - inserts: New rows with allocated keys.
    ///   - updates: Changed rows.
    ///   - deletes: Rows to delete.
    ///   - edges: Changes of many-to-many relationships.
    ///   - checks: Rows that must be unchanged.
    ///   - metadata: The application's metadata entries to set; null removes an entry.
    ///   - author: The author of the save, recorded in the history.
    ///   - contextName: The name of the context that saves, recorded in the history.
    ///   - cancellation: A flag that ends the save when it is raised.
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

    /// The save's identifier, recorded with it, with which an unknown outcome is resolved.
    public var identifier: UUID {
        get { box.parts.identifier }
        set { own().parts.identifier = newValue }
    }

    /// The new rows, each complete, with allocated keys.
    public var inserts: RowList {
        get { box.parts.inserts }
        _modify { yield &own().parts.inserts }
    }

    /// The changed rows.
    public var updates: [RowUpdate] {
        get { box.parts.updates }
        _modify { yield &own().parts.updates }
    }

    /// The rows to delete. Their many-to-many pairs are removed too.
    public var deletes: [RowDeletion] {
        get { box.parts.deletes }
        _modify { yield &own().parts.deletes }
    }

    /// The changes of many-to-many relationships.
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

    /// The application's metadata entries to set; null removes an entry.
    public var metadata: [String: StoredValue] {
        get { box.parts.metadata }
        _modify { yield &own().parts.metadata }
    }

    /// The author of the save, recorded in the history.
    public var author: String? {
        get { box.parts.author }
        set { own().parts.author = newValue }
    }

    /// The name of the context that saves, recorded in the history.
    public var contextName: String? {
        get { box.parts.contextName }
        set { own().parts.contextName = newValue }
    }

    /// A flag that, when raised before the commit, ends the save with `.cancelled`.
    public var cancellation: CancellationFlag? {
        get { box.parts.cancellation }
        set { own().parts.cancellation = newValue }
    }

    /// Whether derived attributes are written as given instead of computed: for copies of stores,
    /// and for rows whose derived attributes were just computed.
    public var keepsDerivedValues: Bool {
        get { box.parts.keepsDerivedValues }
        set { own().parts.keepsDerivedValues = newValue }
    }

    /// Whether there is nothing to write or compare.
    public var isEmpty: Bool {
        inserts.isEmpty && updates.isEmpty && deletes.isEmpty && edges.isEmpty && checks.isEmpty
            && metadata.isEmpty
    }

    /// Returns a box that no other change set refers to.
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
    /// The complete new row.
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

/// A row to delete.
public struct RowDeletion: Sendable, Hashable {
    /// The object's ID.
    public var id: ManagedObjectID
    /// The version that the deletion is based on.
    public var baseVersion: RowVersion

    /// Describes a deletion.
    public init(id: ManagedObjectID, baseVersion: RowVersion) {
        self.id = id
        self.baseVersion = baseVersion
    }
}

/// A row that a save depends on: it is compared but not written.
///
/// Without checks, two saves can each write a row that the other only read, and both succeed. If
/// both check the rows that they read, one of them conflicts.
public struct RowCheck: Sendable, Hashable {
    /// The object's ID.
    public var id: ManagedObjectID
    /// The version that the stored row must have. A deleted row conflicts too.
    public var baseVersion: RowVersion

    /// Describes a check.
    public init(id: ManagedObjectID, baseVersion: RowVersion) {
        self.id = id
        self.baseVersion = baseVersion
    }
}

/// Pairs added to and removed from one many-to-many relationship, seen from one of its two sides.
///
/// Adding an existing pair sets the order numbers that the edge has, and without numbers does
/// nothing. Removing a missing pair does nothing. A relationship that is its own inverse has each
/// pair in both directions, and one edge adds or removes both.
public struct EdgeChange: Sendable, Hashable {
    /// A pair of objects.
    public struct Edge: Sendable, Hashable {
        /// The object that has the relationship.
        public var source: ManagedObjectID
        /// The destination of the relationship.
        public var destination: ManagedObjectID
        /// The destination's number in the order of the source's relationship; nil leaves it
        /// unchanged.
        public var order: Int64?
        /// The source's number in the order of the destination's inverse relationship; nil leaves
        /// it unchanged.
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
    /// Pairs to remove.
    public var removed: [Edge]

    /// Describes changes of one relationship.
    public init(relationship: RelationshipID, added: [Edge] = [], removed: [Edge] = []) {
        self.relationship = relationship
        self.added = added
        self.removed = removed
    }
}
