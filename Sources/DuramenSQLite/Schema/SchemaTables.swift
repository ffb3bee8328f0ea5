import DuramenModel

/// A column of an entity table.
struct ColumnMap: Sendable {
    /// The name, without quotes.
    var name: String
    /// The quoted name.
    var quoted: String
    /// The declared type.
    var type: String
    /// The group in CREATE TABLE: smaller groups come first.
    var group: Int
    /// The number of the entity that declares the property.
    var entityNumber: Int
    /// The index among the table's columns.
    var place: Int
    /// Whether a Core Data file does not have the column, which is optional.
    var isMissing = false
}

/// The table of a root entity and all its sub-entities.
struct TableMap: Sendable {
    /// The name, without quotes.
    var name: String
    /// The quoted name.
    var quoted: String
    /// The entity after which the table is named.
    var root: EntityID
    /// The root's number.
    var rootNumber: Int
    /// All entities with rows in the table.
    var entities: [EntityID]
    /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`, in the order of their declaration here.
    var columns: [ColumnMap] = []
    /// Whether a column contains decimals.
    var hasDecimals = false
}

/// The columns of an entity's slots.
struct EntityMap: Sendable {
    /// The index of the table.
    var table: Int
    /// The entity's number.
    var number: Int
    /// The index of each slot's column in the table.
    var columns: [Int] = []
}

/// An index of the file.
struct IndexMap: Sendable {
    /// The name, without quotes.
    var name: String
    /// The quoted name.
    var quoted: String
    /// Everything after the name: `ON table (columns) WHERE condition`.
    var target: String
    /// Whether the engine rejects a second row with equal values.
    var isUnique: Bool { constraint != nil }
    /// The constraint that the engine enforces with the index.
    var constraint: UniquenessConstraint?
    /// The query for rows that share values of the constraint.
    var sharingQuery: String?
    /// The column of its to-one; such an index is created when it is first needed.
    var toOne: ColumnPlace?

    /// The statement as the engine stores it.
    var definition: String { "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(quoted) \(target)" }

    /// The stored statement if rows share values of the constraint.
    var unenforcedDefinition: String { "CREATE INDEX \(quoted) \(target)" }

    /// The statement that creates the index unless it exists.
    var creation: String {
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(quoted) \(target)"
    }
}

/// A column of the file.
struct ColumnPlace: Hashable, Sendable {
    var table: Int
    var column: Int
}
