import DuramenModel
import DuramenSQL
import DuramenStore

/// Where the columns of one new table come from, all rows of which were in one old table.
struct TableMigration {
    /// A new column.
    struct Column {
        var map: ColumnMap
        /// The old column that becomes it, whose values stay where they are.
        var carried: String?
        /// The declared type that the carried column had, if that changes. All rows are written.
        var oldType: String?
        /// By number of the entity: values of rows that are others than those in the carried
        /// column.
        var values: [(number: Int, sql: MigrationSQL)] = []
        /// What all old rows have in a column that is added, without being written.
        var fallback: String?
    }

    let oldTable: TableMap
    let newTable: TableMap
    /// The numbers of the entities that have rows.
    let numbers: [Int]
    private(set) var columns: [Column]
    /// Old columns that become none.
    private(set) var dropped: [ColumnMap] = []

    /// - Parameter isInPlace: Whether the old table becomes the new one; rows are copied otherwise.
    init(
        _ expressions: SlotExpressions, from oldTable: TableMap, to newTable: TableMap,
        isInPlace: Bool
    ) {
        self.oldTable = oldTable
        self.newTable = newTable
        let (change, old, new) = (expressions.change, expressions.old, expressions.new)
        columns = newTable.columns.map { Column(map: $0) }
        var numbers: [Int] = []
        // Old columns of each entity that has rows, and the places in which it has values now.
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

    /// Has a new column say by itself what all old rows have. Only one that the root declares, and
    /// so all entities that the table will ever have.
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

    /// Lets each new column be the old one that most entities take its values from.
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

    /// Lets a new column be an old one with numbers of another type, when nobody else reads these.
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

    /// The types between which a number keeps its column.
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

    /// Whether the change of the table writes its rows.
    var writesRows: Bool {
        !dropped.isEmpty || columns.contains { !$0.values.isEmpty || $0.oldType != nil }
    }

    /// Whether the table stays as it is.
    var isUnchanged: Bool {
        oldTable.name == newTable.name && dropped.isEmpty
            && columns.allSatisfy {
                $0.carried == $0.map.name && $0.values.isEmpty && $0.oldType == nil
            }
    }
}
