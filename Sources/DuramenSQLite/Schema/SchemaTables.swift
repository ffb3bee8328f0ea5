import DuramenModel

/// One column of an entity table.
struct ColumnMap: Sendable {
    /// The name, not quoted.
    var name: String
    /// The name between quotes.
    var quoted: String
    /// The declared type.
    var type: String
    /// The place in CREATE TABLE: smaller groups come first.
    var group: Int
    /// The number of the entity that declares the property.
    var entityNumber: Int
    /// The place among the table's columns.
    var place: Int
    /// Whether a file of Core Data's has no such column, and need not have it.
    var isMissing = false
}

/// The table of one root entity and all below it.
struct TableMap: Sendable {
    /// The name, not quoted.
    var name: String
    /// The name between quotes.
    var quoted: String
    /// The entity that the table is named after.
    var root: EntityID
    /// The root's number.
    var rootNumber: Int
    /// All entities whose rows it holds.
    var entities: [EntityID]
    /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`, in the order of their declaration here.
    var columns: [ColumnMap] = []
    /// Whether a column holds decimals.
    var hasDecimals = false
}

/// Where an entity's slots are kept.
struct EntityMap: Sendable {
    /// The place of the table.
    var table: Int
    /// The entity's number.
    var number: Int
    /// The place of each slot's column in the table.
    var columns: [Int] = []
}

/// One index to make.
struct IndexMap: Sendable {
    /// The name, not quoted.
    var name: String
    /// The name between quotes.
    var quoted: String
    /// Everything after the name: `ON table (columns) WHERE condition`.
    var target: String
    /// Whether the engine refuses a second row of equal values.
    var isUnique: Bool { constraint != nil }
    /// The constraint that the engine enforces with it.
    var constraint: UniquenessConstraint?
    /// Finds rows that share values of the constraint.
    var sharingQuery: String?
    /// The column of the to-one that it serves; such an index is made when it is first needed.
    var toOne: ColumnPlace?

    /// What the engine keeps of the statement that makes it.
    var definition: String { "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(quoted) \(target)" }

    /// The same as long as rows share values of the constraint.
    var unenforcedDefinition: String { "CREATE INDEX \(quoted) \(target)" }

    /// The statement that makes it unless it is there.
    var creation: String {
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(quoted) \(target)"
    }
}

/// A column of the file.
struct ColumnPlace: Hashable, Sendable {
    var table: Int
    var column: Int
}
