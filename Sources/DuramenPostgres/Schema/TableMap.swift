import DuramenModel

/// The table of one hierarchy of entities.
struct TableMap: Sendable {
    /// The name without quotes.
    let name: String
    /// The name with that of the schema, both quoted.
    let quoted: String
    /// The entity at the top of the hierarchy.
    let root: EntityID
    /// The entities with rows in the table.
    let entities: [EntityID]
    /// The columns after key, entity and version.
    var columns: [ColumnMap] = []
}

/// A column with the values of one property.
struct ColumnMap: Sendable {
    /// The parts of a property that have columns.
    enum Part: String, Sendable {
        /// The value of an attribute.
        case value
        /// The key of a to-one's destination.
        case reference
        /// The number of a destination's entity.
        case entity
        /// The number in an order.
        case order
    }

    /// The name without quotes.
    let name: String
    /// The quoted name.
    let quoted: String
    /// The kind of the slots.
    let kind: SlotKind
    /// The entity that declares the property.
    let entity: EntityID
    /// The name of the property.
    let property: String
    /// The part of the property.
    let part: Part

    /// The column's type.
    var type: PostgresType {
        switch kind {
        case .integer, .reference: .bigint
        case .referenceEntity: .integer
        case .boolean: .boolean
        case .double, .date: .double
        case .float: .real
        case .decimal: .numeric
        case .text, .uri: .text
        case .uuid: .uuid
        case .binary, .transformable: .bytea
        }
    }
}

/// The place of an entity's rows.
struct EntityMap: Sendable {
    /// The index of the table.
    var table = 0
    /// The entity's number in the column `entity`.
    let number: Int32
    /// The index of each slot's column.
    var columns: [Int] = []
}

/// An index that the store makes.
struct IndexMap: Sendable {
    /// The name without quotes, made from the definition.
    let name: String
    /// `ON table (terms)`.
    let target: String
}
