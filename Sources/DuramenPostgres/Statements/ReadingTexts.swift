import DuramenModel
import DuramenSQL

/// The statements that find rows by their keys, and members of to-manys.
struct ReadingTexts: Sendable {
    /// By table: find a row by its key, and rows by a list of keys.
    private let row: [Statement]
    private let rowLists: [Statement]
    /// By relationship: finds the members of to-manys; nil for to-ones.
    private let members: [Statement?]

    /// Lists with more keys are not prepared: the engine's general plan would be theirs too.
    private static let mostPreparedKeys = 100

    init(_ schema: PostgresSchema) {
        let requests = RequestStatements(mapping: schema, dialect: PostgresDialect())
        row = schema.tables.map { table in
            let plan = RowPlan(schema: schema, entities: table.entities)
            return Statement(
                "SELECT \(plan.columns) FROM \(table.quoted) AS t0 WHERE t0.id = $1::bigint")
        }
        rowLists = schema.tables.map { table in
            let plan = RowPlan(schema: schema, entities: table.entities)
            return Statement(
                requests.rows(plan.columns, of: table.root, keys: requests.keys))
        }
        members = schema.model.relationships.map { relationship in
            relationship.isToMany
                ? Statement(requests.destinations(of: relationship.id, keys: requests.keys)) : nil
        }
    }

    /// Returns the statement that finds rows of a table by keys, and its parameter.
    func rows(_ table: Int, _ keys: [Int64]) -> (Statement, Parameter) {
        if keys.count == 1 { return (row[table], .bigint(keys[0])) }
        return (Self.list(rowLists[table], keys.count), .bigints(keys))
    }

    /// Returns the statement that finds the members of a to-many of some objects.
    func destinations(_ relationship: RelationshipID, _ count: Int) -> Statement {
        Self.list(members[relationship.index] ?? Statement(""), count)
    }

    private static func list(_ statement: Statement, _ count: Int) -> Statement {
        count <= mostPreparedKeys ? statement : Statement(statement.text, prepared: false)
    }
}
