package import DuramenModel

/// The tables of one engine for a model's entities: everything that the compilers need to know of a
/// layout.
///
/// Names are quoted.
package protocol SQLMapping: Sendable {
    /// The model.
    var model: ManagedObjectModel { get }
    /// The store whose objects are in the tables.
    var store: StoreHandle { get }
    /// The column of every table with a row's key.
    var keyColumn: String { get }
    /// The column of every table with the number of a row's entity.
    var entityColumn: String { get }
    /// Returns the table with the rows of an entity.
    func table(of entity: EntityID) -> String
    /// Returns the number of an entity in ``entityColumn``.
    func number(of entity: EntityID) -> Int64
    /// Returns the column of a slot.
    func column(slot: Int, of entity: EntityID) -> String
    /// Returns whether a slot has a column.
    func hasColumn(slot: Int, of entity: EntityID) -> Bool
    /// Returns whether a column has the same values as a slot, so that conditions on it can be
    /// compiled.
    func isComparable(slot: Int, of entity: EntityID) -> Bool
    /// Whether a column that is not comparable is null exactly if the slot is null.
    var showsPresence: Bool { get }
    /// Whether to-ones may refer to missing rows, which then count as null.
    var hasDanglingReferences: Bool { get }
    /// Returns the digits beside a decimal's column, in the row of a table named `alias`: text, or
    /// null for none. Nil if decimals cannot be compared exactly.
    func decimalDigits(slot: Int, of entity: EntityID, alias: String) -> String?
    /// Returns the pairs of a many-to-many relationship, seen from its owner.
    func pairs(of relationship: RelationshipID) -> SQLPairTable?
    /// Returns whether these entities include all rows of a table, so that the entity need not be
    /// checked.
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
    /// The name of the table.
    package var table: String
    /// The table or expression to read the pairs from: differs from the table if it has pairs in
    /// one direction only.
    package var source: String
    /// The column with the key of the relationship's owner.
    package var ownerColumn: String
    /// The column with the key of the destination.
    package var destinationColumn: String
    /// The column with the destination's number in the owner's order; nil for none.
    package var orderColumn: String?
    /// The column with the owner's number in the destination's order; nil for none.
    package var inverseOrderColumn: String?
    /// Whether the relationship is its own inverse, with pairs in both directions.
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

    /// The table seen from the other side.
    package var reversed: SQLPairTable {
        var other = self
        swap(&other.ownerColumn, &other.destinationColumn)
        swap(&other.orderColumn, &other.inverseOrderColumn)
        return other
    }
}
