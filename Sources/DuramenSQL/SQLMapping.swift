package import DuramenModel

/// Where the tables of one engine keep a model's entities: all that the compilers know of a layout.
///
/// Names come quoted.
package protocol SQLMapping: Sendable {
    /// The model.
    var model: ManagedObjectModel { get }
    /// The store whose objects the tables hold.
    var store: StoreHandle { get }
    /// The column of every table that holds a row's key.
    var keyColumn: String { get }
    /// The column of every table that holds the number of a row's entity.
    var entityColumn: String { get }
    /// The table that holds the rows of an entity.
    func table(of entity: EntityID) -> String
    /// The number that stands for an entity in ``entityColumn``.
    func number(of entity: EntityID) -> Int64
    /// The column of a slot.
    func column(slot: Int, of entity: EntityID) -> String
    /// Whether a slot has a column at all.
    func hasColumn(slot: Int, of entity: EntityID) -> Bool
    /// Whether a column holds what rows hold for a slot, so that conditions on it can be compiled.
    func isComparable(slot: Int, of entity: EntityID) -> Bool
    /// Whether a column that is not comparable is null just where the slot is.
    var showsPresence: Bool { get }
    /// Whether to-ones may name rows that are not there, which then count as null.
    var hasDanglingReferences: Bool { get }
    /// The digits kept beside a decimal's column, in the row of a table named `alias`: text, or
    /// null for none. Nil when decimals cannot be compared exactly.
    func decimalDigits(slot: Int, of entity: EntityID, alias: String) -> String?
    /// The pairs of a many-to-many relationship, seen from its owner.
    func pairs(of relationship: RelationshipID) -> SQLPairTable?
    /// Whether the rows of a table may be taken without looking at their entity when these entities
    /// are asked for.
    func coversTable(_ entities: [EntityID]) -> Bool
}

extension SQLMapping {
    package func hasColumn(slot: Int, of entity: EntityID) -> Bool { true }
    package func isComparable(slot: Int, of entity: EntityID) -> Bool { true }
    package var showsPresence: Bool { true }
    package var hasDanglingReferences: Bool { false }
    package func decimalDigits(slot: Int, of entity: EntityID, alias: String) -> String? { nil }
}

/// A table of pairs of keys.
package struct SQLPairTable: Sendable, Hashable {
    /// The table.
    package var table: String
    /// What to read the pairs from: the table, unless that has pairs in one direction only.
    package var source: String
    /// The column with the key of the relationship's owner.
    package var ownerColumn: String
    /// The column with the key of the destination.
    package var destinationColumn: String
    /// The column with the destination's number in the owner's order; nil when there is none.
    package var orderColumn: String?
    /// The column with the owner's number in the destination's order; nil when there is none.
    package var inverseOrderColumn: String?
    /// Whether both columns are of one relationship, its own inverse, and pairs are kept both ways.
    package var isReflexive: Bool

    /// Describes a table of pairs.
    package init(
        table: String, ownerColumn: String, destinationColumn: String, orderColumn: String? = nil,
        inverseOrderColumn: String? = nil, isReflexive: Bool = false
    ) {
        self.table = table
        source = table
        self.ownerColumn = ownerColumn
        self.destinationColumn = destinationColumn
        self.orderColumn = orderColumn
        self.inverseOrderColumn = inverseOrderColumn
        self.isReflexive = isReflexive
    }

    /// The same pairs, seen from the other side.
    package var reversed: SQLPairTable {
        var other = self
        swap(&other.ownerColumn, &other.destinationColumn)
        swap(&other.orderColumn, &other.inverseOrderColumn)
        return other
    }
}
