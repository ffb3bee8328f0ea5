import DuramenModel
import DuramenSQL
import DuramenStore

/// The sources of the columns of one new table, whose rows were in one old table.
struct TableMigration {
    /// A new column.
    struct Column {
        var map: ColumnMap
        /// The old column that is renamed to it and keeps its values.
        var carried: String?
        /// The declared type of the carried column, if it changes. Then all rows are written.
        var oldType: String?
        /// By number of the entity: values that differ from those in the carried column.
        var values: [(number: Int, sql: MigrationSQL)] = []
        /// The default of a new column, which gives all old rows their value without writing them.
        var fallback: String?
    }

    let oldTable: TableMap
    let newTable: TableMap
    /// The numbers of the entities with rows.
    let numbers: [Int]
    private(set) var columns: [Column]
    /// Old columns to drop.
    private(set) var dropped: [ColumnMap] = []

    /// - Parameters:
    ///   - expressions: The expressions for new slots.
    ///   - oldTable: The old table.
    ///   - newTable: The new table.
    ///   - isInPlace: Whether the old table is renamed; otherwise its rows are copied.
    init(
        _ expressions: SlotExpressions, from oldTable: TableMap, to newTable: TableMap,
        isInPlace: Bool
    ) {
        self.oldTable = oldTable
        self.newTable = newTable
        let (change, old, new) = (expressions.change, expressions.old, expressions.new)
        columns = newTable.columns.map { Column(map: $0) }
        var numbers: [Int] = []
        // The old columns of each entity with rows, and the new columns in which it has values.
        var oldColumns: [(number: Int, names: Set<String>, places: Set<Int>)] = []
        for id in newTable.entities {
            guard let source = change.sourceEntities[id.index],
                let rows = change.rows[source.index]
            else { continue }
            let number = Int(new.number(of: id))
            numbers.append(number)
            let entity = change.target[id]
            let places = new.entities[id.index].columns
            for (slot, place) in places.enumerated() {
                let sql = expressions.expression(slot, of: entity, rows, change.source[source])
                columns[place].values.append((number, sql))
            }
            let names = old.entities[source.index].columns.map { oldTable.columns[$0].name }
            oldColumns.append((number, Set(names), Set(places)))
        }
        self.numbers = numbers
        guard isInPlace else { return }
        carryColumns()
        for place in columns.indices {
            guard let carried = columns[place].carried else {
                columns[place].values.removeAll { $0.sql.isNull }
                fillByDefault(place)
                continue
            }
            if columns[place].oldType == nil {
                columns[place].values.removeAll { $0.sql.plainColumn == carried }
            }
            for entity in oldColumns
            where !entity.places.contains(place) && entity.names.contains(carried) {
                columns[place].values.append((entity.number, .null))
            }
        }
        let kept = Set(columns.compactMap(\.carried))
        dropped = oldTable.columns.filter { !kept.contains($0.name) }
    }

    /// Replaces writing all old rows with a default of the new column. Only for a column of the
    /// root, which all entities of the table have.
    private mutating func fillByDefault(_ place: Int) {
        let column = columns[place]
        guard column.map.entityNumber == newTable.rootNumber,
            Set(column.values.map(\.number)) == Set(numbers),
            let literal = column.values.first?.sql.literal,
            column.values.allSatisfy({ $0.sql.literal == literal })
        else { return }
        columns[place].fallback = literal
        columns[place].values = []
    }

    /// Carries the old column from which most entities take their values.
    private mutating func carryColumns() {
        let types = Dictionary(
            oldTable.columns.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
        var taken: Set<String> = []
        for place in columns.indices {
            var counts: [String: Int] = [:]
            for value in columns[place].values {
                guard let column = value.sql.baseColumn, !taken.contains(column),
                    types[column] == columns[place].map.type
                else { continue }
                counts[column, default: 0] += 1
            }
            let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
            guard let best else { continue }
            taken.insert(best.key)
            columns[place].carried = best.key
        }
        retypeColumns(types)
    }

    /// Carries an old column with numbers of another type, if no other column reads it.
    private mutating func retypeColumns(_ types: [String: String]) {
        for place in columns.indices where columns[place].carried == nil {
            guard let column = columns[place].values.first?.sql.baseColumn,
                let type = types[column],
                Self.numeric.isSuperset(of: [type, columns[place].map.type]),
                columns.indices.allSatisfy({ other in
                    columns[other].carried != column
                        && columns[other].values.allSatisfy { value in
                            other == place
                                ? value.sql.baseColumn == column : !value.sql.reads(column)
                        }
                })
            else { continue }
            columns[place].carried = column
            columns[place].oldType = type
        }
    }

    /// The types among which a column with numbers can be carried.
    private static let numeric: Set = ["INTEGER", "FLOAT", "DECIMAL"]

    /// The old columns whose declared types change, with their types.
    var retyped: [String: (old: String, new: String)] {
        var types: [String: (old: String, new: String)] = [:]
        for column in columns {
            if let carried = column.carried, let old = column.oldType {
                types[carried] = (old, column.map.type)
            }
        }
        return types
    }

    /// Whether the migration of the table writes its rows.
    var writesRows: Bool {
        !dropped.isEmpty || columns.contains { !$0.values.isEmpty || $0.oldType != nil }
    }

    /// Whether the table does not change.
    var isUnchanged: Bool {
        oldTable.name == newTable.name && dropped.isEmpty
            && columns.allSatisfy {
                $0.carried == $0.map.name && $0.values.isEmpty && $0.oldType == nil
            }
    }
}
