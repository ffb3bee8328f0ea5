import DuramenModel
import DuramenSQL

/// The statements that make a store's schema.
struct SchemaStatements {
    let schema: PostgresSchema

    /// All statements, in order. They take no parameters: names are quoted, and texts too.
    var all: [String] { tables + indexes + firstRows + numbering }

    /// The statements that make the schema and its empty tables.
    var tables: [String] {
        ["CREATE SCHEMA IF NOT EXISTS \(schema.quotedName)"] + ownTables + modelTables
    }

    /// The statements that make the indexes; cheapest when the tables have their rows.
    var indexes: [String] {
        // Claims are found by their objects when these change or go.
        ["CREATE INDEX ON \(schema.own(.claims)) (key, cons)"]
            + schema.indexes.map { "CREATE INDEX \(SQLQuoting.identifier($0.name)) \($0.target)" }
    }

    /// The first save of a store, its empty state, and the first stamp.
    private var firstRows: [String] {
        [
            "INSERT INTO \(schema.own(.saves)) (number, stamp, at) VALUES (0, 0, 0)",
            "INSERT INTO \(schema.own(.keys)) (root, next) VALUES (0, 1)",
        ]
    }

    private var ownTables: [String] {
        OwnTable.allCases.map { "CREATE TABLE \(schema.own($0)) (\($0.columns))" }
            + OwnSequence.allCases.map {
                "CREATE SEQUENCE \(schema.own($0)) AS bigint CACHE 1 NO CYCLE"
            }
    }

    private var modelTables: [String] { modelTables(where: { _ in true }) }

    /// The statements that make the tables of objects and pairs with some names.
    func modelTables(where isIncluded: (String) -> Bool) -> [String] {
        schema.tables.filter { isIncluded($0.name) }.map(table)
            + schema.pairSides.compactMap { side in
                schema.pairs(of: side).flatMap { pairs in
                    isIncluded(schema.pairNames[StoredText(pairs.table)] ?? "")
                        ? pairTable(pairs) : nil
                }
            }
    }

    /// The table of a hierarchy. A page has room for new versions of its rows, so that an update
    /// of columns without an index writes no index.
    private func table(_ table: TableMap) -> String {
        let columns = table.columns.map { ", \($0.quoted) \($0.definition)" }.joined()
        return "CREATE TABLE \(table.quoted) (id bigint PRIMARY KEY, entity integer NOT NULL, "
            + "version bigint NOT NULL\(columns)) WITH (fillfactor = 90)"
    }

    private func pairTable(_ pairs: SQLPairTable) -> String {
        let orders = PairColumn.orders(of: pairs)
        return "CREATE TABLE \(pairs.table) (\(PairColumn.a) bigint, \(PairColumn.b) bigint"
            + orders.map { ", \($0) bigint" }.joined()
            + ", PRIMARY KEY (\(PairColumn.a), \(PairColumn.b)))"
    }

    // MARK: - Names and numbers

    var numbering: [String] {
        let roots = schema.tables.map {
            "INSERT INTO \(schema.own(.keys)) VALUES (\(schema.number(of: $0.root)), 1)"
        }
        return names + roots
    }

    /// The statements that record names and numbers.
    var names: [String] {
        let model = schema.model
        let entities = model.entities.map { entity in
            let above =
                entity.superentity.map { String(schema.number(of: $0)) } ?? "NULL"
            return "INSERT INTO \(schema.own(.entities)) VALUES (\(schema.number(of: entity.id)), "
                + "\(literal(entity.name)), \(above), "
                + "\(literal(schema.tableMap(of: entity.id).name)))"
        }
        return entities + columns + pairs + constraints
    }

    private var columns: [String] {
        schema.tables.flatMap { table in
            table.columns.map {
                place(table.name, $0.name, of: $0.entity, $0.property, $0.part.rawValue)
            }
        }
    }

    private var pairs: [String] {
        schema.pairSides.compactMap { side in
            guard let pairs = schema.pairs(of: side) else { return nil }
            let relationship = schema.model[side]
            let table = schema.pairNames[StoredText(pairs.table)] ?? ""
            return place(
                table, PairColumn.a, of: relationship.declaringEntity, relationship.name,
                KnownNames.pairPart)
        }
    }

    private func place(
        _ table: String, _ column: String, of entity: EntityID, _ property: String, _ part: String
    ) -> String {
        "INSERT INTO \(schema.own(.columns)) VALUES (\(literal(table)), \(literal(column)), "
            + "\(schema.number(of: entity)), \(literal(property)), \(literal(part)))"
    }

    private var constraints: [String] {
        schema.constraints.sorted { $0.value < $1.value }.map { constraint, number in
            let place = KnownNames.place(of: constraint, in: schema.model)
            return "INSERT INTO \(schema.own(.constraints)) VALUES (\(number), "
                + "\(schema.number(of: constraint.entity)), \(literal(place.property.string)))"
        }
    }

    private func literal(_ text: String) -> String { SQLQuoting.literal(text) }
}

extension ColumnMap {
    /// The type in a table.
    var definition: String {
        switch kind {
        case .text, .uri: "text COLLATE \"C\""
        // Long values are outside of their rows and not compressed, so that a part can be read.
        case .binary, .transformable: "bytea"
        default: type.name
        }
    }
}
