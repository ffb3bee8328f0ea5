import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore

/// The tables of a model in the layout of Core Data, with the names and numbers of one file.
final class AppleSchema: Sendable {
    let model: ManagedObjectModel
    let store: StoreHandle
    /// The number of each entity, by its index in the model.
    let numbers: [Int]
    let tables: [TableMap]
    let entities: [EntityMap]
    /// The index of each entity's table. The maps themselves would cost a retain per look-up.
    let tableIndexes: [Int]
    /// The pair table of each many-to-many, by the relationship's index; nil for others.
    let pairTables: [SQLPairTable?]
    /// One side of every many-to-many.
    let namingSides: [RelationshipID]
    let indexes: [IndexMap]
    /// The index in `indexes` of the index for a to-one.
    let toOneIndexes: [ColumnPlace: Int]
    /// The index of the entity with a number; -1 for none.
    let entityIndexes: [Int32]
    /// By entity: the slots whose values have a tag, and may be in files.
    let externalSlots: [[Int]]
    /// Whether only Duramen has numbered the rows, so that no row has a foreign entity.
    let isOwnFile: Bool

    /// - Parameters:
    ///   - model: The model.
    ///   - store: The store's number.
    ///   - numbers: The number of each entity.
    ///   - pairNaming: The rule for the names of pair tables.
    ///   - existing: The tables of a file that Core Data created; nil for a Duramen file.
    init(
        model: ManagedObjectModel, store: StoreHandle, numbers: [Int],
        pairNaming: PairNaming = .byName, existing: ExistingTables? = nil
    ) {
        self.model = model
        self.store = store
        self.numbers = numbers
        isOwnFile = existing == nil
        externalSlots = model.entities.map(\.externalSlots)
        var builder = AppleSchemaBuilder(
            model: model, numbers: numbers, pairNaming: pairNaming, existing: existing)
        builder.build()
        tables = builder.tables
        entities = builder.entities
        tableIndexes = builder.entities.map(\.table)
        pairTables = builder.pairTables
        namingSides = builder.namingSides
        indexes = builder.indexes
        var served: [ColumnPlace: Int] = [:]
        for (place, index) in builder.indexes.enumerated() {
            if let column = index.toOne { served[column] = place }
        }
        toOneIndexes = served
        var places = [Int32](repeating: -1, count: (numbers.max() ?? 0) + 1)
        for (place, number) in numbers.enumerated() { places[number] = Int32(place) }
        entityIndexes = places
    }

    /// Returns the entity with a number; nil if the model has none.
    func entity(number: Int64) -> EntityID? {
        guard number > 0, number < entityIndexes.count, entityIndexes[Int(number)] >= 0 else {
            return nil
        }
        return EntityID(index: Int(entityIndexes[Int(number)]))
    }

    /// Returns the index for a slot; nil if none is planned.
    func toOneIndex(slot: Int, of entity: EntityID) -> Int? {
        let map = entities[entity.index]
        return toOneIndexes[ColumnPlace(table: map.table, column: map.columns[slot])]
    }

    /// The table of an entity.
    func tableMap(of entity: EntityID) -> TableMap { tables[entities[entity.index].table] }
}

extension AppleSchema: SQLMapping {
    var keyColumn: String { "Z_PK" }
    var entityColumn: String { "Z_ENT" }
    func table(of entity: EntityID) -> String { tableMap(of: entity).quoted }
    func number(of entity: EntityID) -> Int64 { Int64(numbers[entity.index]) }
    func column(slot: Int, of entity: EntityID) -> String {
        let map = entities[entity.index]
        return tables[map.table].columns[map.columns[slot]].quoted
    }
    func hasColumn(slot: Int, of entity: EntityID) -> Bool {
        let map = entities[entity.index]
        return !tables[map.table].columns[map.columns[slot]].isMissing
    }
    /// The expression that a statement selects from the table `t0` for a slot.
    ///
    /// In a Core Data file a reference may be dangling, and then reads as null. So its key and
    /// entity are selected from the row that the key finds.
    func selection(slot: Int, of entity: EntityID) -> String {
        let column = "t0." + column(slot: slot, of: entity)
        guard hasDanglingReferences,
            let toOne = model[entity].relationships.first(where: { relationship in
                guard case .toOne(let key, let second) = relationship.storage else { return false }
                return key == slot || second == slot
            })
        else { return column }
        let key =
            toOne.slot == slot ? column : "t0." + self.column(slot: toOne.slot ?? 0, of: entity)
        let family = model[toOne.destination].family.map { String(number(of: $0)) }
        return "(SELECT r.\(toOne.slot == slot ? keyColumn : entityColumn) "
            + "FROM \(table(of: toOne.destination)) AS r WHERE r.\(keyColumn) = \(key) "
            + "AND r.\(entityColumn) IN (\(family.joined(separator: ", "))))"
    }

    /// Whether a slot's values have a tag, and may be in files.
    func isExternal(slot: Int, of entity: EntityID) -> Bool {
        externalSlots[entity.index].contains(slot)
    }

    var hasDanglingReferences: Bool { !isOwnFile }
    // A Core Data file may have no table of digits.
    func decimalDigits(slot: Int, of entity: EntityID, alias: String) -> String? {
        guard isOwnFile else { return nil }
        let map = tableMap(of: entity)
        let column = map.columns[entities[entity.index].columns[slot]].name
        return "(SELECT ZDIGITS FROM DURAMEN_DECIMAL WHERE ZENT = \(map.rootNumber) "
            + "AND ZROW = \(alias).\(keyColumn) AND ZCOLUMN = '\(column)')"
    }
    func isComparable(slot: Int, of entity: EntityID) -> Bool {
        !isExternal(slot: slot, of: entity)
    }
    // A missing file of Core Data reads as null, which its column does not show.
    var showsPresence: Bool { isOwnFile }
    func pairs(of relationship: RelationshipID) -> SQLPairTable? { pairTables[relationship.index] }
    func coversTable(_ entities: [EntityID]) -> Bool {
        guard isOwnFile, let first = entities.first else { return false }
        return tableMap(of: first).entities.count == entities.count
    }
}
