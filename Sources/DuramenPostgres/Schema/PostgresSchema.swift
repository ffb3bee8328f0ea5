import DuramenModel
import DuramenSQL

/// The tables of a model in one schema of a database.
final class PostgresSchema: Sendable {
    /// The name of the database's schema, without quotes.
    let name: String
    let model: ManagedObjectModel
    let store: StoreHandle
    let tables: [TableMap]
    /// By the entity's index in the model.
    let entities: [EntityMap]
    /// The pairs of each many-to-many, by the relationship's index; nil for others.
    let pairTables: [SQLPairTable?]
    /// One side of every many-to-many.
    let pairSides: [RelationshipID]
    /// The names of the tables of pairs without quotes, by their quoted names.
    let pairNames: [StoredText: String]
    let indexes: [IndexMap]
    /// The index of the entity with a number; -1 for none.
    let entityIndexes: [Int32]
    /// The number of each constraint.
    let constraints: [UniquenessConstraint: Int32]

    /// - Parameters:
    ///   - name: The name of the database's schema.
    ///   - model: The model.
    ///   - store: The store's number.
    ///   - known: The names and numbers of a store that exists; nothing for a new one.
    init(
        name: String, model: ManagedObjectModel, store: StoreHandle,
        known: KnownNames = KnownNames()
    ) {
        self.name = name
        self.model = model
        self.store = store
        var builder = SchemaBuilder(name: name, model: model, known: known)
        builder.build()
        tables = builder.tables
        entities = builder.entities
        pairTables = builder.pairTables
        pairSides = builder.pairSides
        pairNames = builder.pairNames
        indexes = builder.indexes
        constraints = builder.constraints
        var places = [Int32](
            repeating: -1, count: Int(builder.entities.map(\.number).max() ?? 0) + 1)
        for (place, entity) in builder.entities.enumerated() {
            places[Int(entity.number)] = Int32(place)
        }
        entityIndexes = places
    }

    /// Returns the entity with a number; nil if the model has none.
    func entity(number: Int64) -> EntityID? {
        guard number > 0, number < entityIndexes.count, entityIndexes[Int(number)] >= 0 else {
            return nil
        }
        return EntityID(index: Int(entityIndexes[Int(number)]))
    }

    /// The table of an entity.
    func tableMap(of entity: EntityID) -> TableMap { tables[entities[entity.index].table] }

    /// The column of a slot.
    func columnMap(slot: Int, of entity: EntityID) -> ColumnMap {
        let map = entities[entity.index]
        return tables[map.table].columns[map.columns[slot]]
    }

    /// The names of all tables, without quotes.
    var everyTable: [String] {
        OwnTable.allCases.map(\.rawValue) + tables.map(\.name) + pairNames.values.sorted()
    }

    /// Returns one of the store's own tables, with the name of the schema.
    func own(_ table: OwnTable) -> String {
        "\(quotedName).\(SQLQuoting.identifier(table.rawValue))"
    }

    /// Returns one of the store's own sequences, with the name of the schema.
    func own(_ sequence: OwnSequence) -> String {
        "\(quotedName).\(SQLQuoting.identifier(sequence.rawValue))"
    }

    /// The name of the schema in quotes.
    var quotedName: String { SQLQuoting.identifier(name) }
}

extension PostgresSchema: SQLMapping {
    var keyColumn: String { "id" }
    var entityColumn: String { "entity" }
    func table(of entity: EntityID) -> String { tableMap(of: entity).quoted }
    func number(of entity: EntityID) -> Int64 { Int64(entities[entity.index].number) }
    func column(slot: Int, of entity: EntityID) -> String {
        columnMap(slot: slot, of: entity).quoted
    }
    func pairs(of relationship: RelationshipID) -> SQLPairTable? { pairTables[relationship.index] }
    func coversTable(_ entities: [EntityID]) -> Bool {
        guard let first = entities.first else { return false }
        return tableMap(of: first).entities.count == entities.count
    }
}
