import DuramenModel
import DuramenSQL

/// The statements that write the rows of one entity, many at once: each column is one array.
final class WritePlan: Sendable {
    /// A slot and its column.
    struct Step: Sendable {
        let slot: Int
        let kind: SlotKind
        let type: PostgresType
        let column: String
    }

    let number: Int32
    let table: Int
    let steps: [Step]
    /// The table's name with that of its schema.
    private let tableName: String
    let insert: Statement
    /// Inserts rows that are sent as a COPY, with the columns in the order of ``steps``.
    let copy: String
    /// The constraints with their numbers.
    let constraints: [(constraint: UniquenessConstraint, number: Int32)]
    /// Deletes the pairs of a list of objects.
    let pairDeletions: [Statement]
    private let updates = Locked<[SlotSet: Statement]>([:])
    private let overwritings = Locked<[SlotSet: Statement]>([:])
    private static let mostStatements = 256

    init(schema: PostgresSchema, entity: Entity) {
        let map = schema.entities[entity.id.index]
        number = map.number
        table = map.table
        let tableMap = schema.tables[map.table]
        tableName = tableMap.quoted
        steps = entity.layout.kinds.enumerated().map { slot, kind in
            let column = tableMap.columns[map.columns[slot]]
            return Step(slot: slot, kind: kind, type: column.type, column: column.quoted)
        }
        let columns = steps.map { ", \($0.column)" }.joined()
        let values = steps.indices.map { ", a.c\($0)" }.joined()
        let arrays = steps.enumerated().map { place, step in
            ", $\(place + 4)::\(step.type.array.name)"
        }.joined()
        let names = steps.indices.map { ", c\($0)" }.joined()
        insert = Statement(
            "INSERT INTO \(tableName) (id, entity, version\(columns)) "
                + "SELECT a.k, $1::integer, $2::bigint\(values) "
                + "FROM unnest($3::bigint[]\(arrays)) AS a(k\(names))")
        copy = "COPY \(tableName) (id, entity, version\(columns)) FROM STDIN (FORMAT binary)"
        constraints = entity.uniquenessConstraints.compactMap { constraint in
            schema.constraints[constraint].map { (constraint, $0) }
        }
        pairDeletions = entity.toManyRelationships.flatMap { relationship -> [Statement] in
            guard let pairs = schema.pairs(of: relationship.id) else { return [] }
            let columns =
                pairs.isReflexive
                ? [pairs.ownerColumn, pairs.destinationColumn] : [pairs.ownerColumn]
            return columns.map {
                Statement("DELETE FROM \(pairs.table) WHERE \($0) = ANY($1::bigint[])")
            }
        }
    }

    /// Returns the statement that updates some slots of rows with known versions, and stops the
    /// transaction unless it found them all.
    func update(_ slots: SlotSet) -> Statement {
        cached(slots, in: updates) {
            let (values, arrays, names) = fragments(slots, firstParameter: 6)
            return Statement(
                "WITH n AS (UPDATE \(tableName) AS t SET version = $2::bigint\(values) "
                    + "FROM unnest($4::bigint[], $5::bigint[]\(arrays)) AS a(k, b\(names)) "
                    + "WHERE t.id = a.k AND t.version = a.b AND t.entity = $1::integer "
                    + "RETURNING 1) SELECT 1 / (count(*) = $3::bigint)::integer FROM n")
        }
    }

    /// Returns the statement that sets some slots of rows without checking their versions.
    func overwriting(_ slots: SlotSet) -> Statement {
        cached(slots, in: overwritings) {
            let (values, arrays, names) = fragments(slots, firstParameter: 3)
            return Statement(
                "UPDATE \(tableName) AS t SET version = $1::bigint\(values) "
                    + "FROM unnest($2::bigint[]\(arrays)) AS a(k\(names)) WHERE t.id = a.k")
        }
    }

    private func cached(
        _ slots: SlotSet, in statements: borrowing Locked<[SlotSet: Statement]>,
        _ make: () -> Statement
    ) -> Statement {
        statements.withLock { statements in
            if let known = statements[slots] { return known }
            // Rows of a batch can have any sets of slots.
            if statements.count == Self.mostStatements { statements.removeAll() }
            let made = make()
            statements[slots] = made
            return made
        }
    }

    /// The fragments of an update's text for some slots.
    private func fragments(
        _ slots: SlotSet, firstParameter: Int
    ) -> (assignments: String, arrays: String, names: String) {
        let changed = steps.filter { slots.contains($0.slot) }
        return (
            changed.enumerated().map { ", \($1.column) = a.c\($0)" }.joined(),
            changed.enumerated().map { ", $\($0 + firstParameter)::\($1.type.array.name)" }
                .joined(),
            changed.indices.map { ", c\($0)" }.joined()
        )
    }
}

/// The statements that lock, compare and delete rows of one table.
struct TableStatements: Sendable {
    /// Locks rows in the order of their keys, so that two saves never wait for each other.
    let lock: Statement
    /// Stops the transaction unless rows have known versions, and keeps others from changing them.
    let check: Statement
    /// Deletes rows with known versions, and stops the transaction unless it found them all.
    let delete: Statement

    init(_ table: TableMap) {
        let name = table.quoted
        lock = Statement(
            "SELECT 1 FROM \(name) WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE")
        let rows = "unnest($2::bigint[], $3::bigint[], $4::integer[]) AS a(k, b, e)"
        let condition = "t.id = a.k AND t.version = a.b AND t.entity = a.e"
        check = Statement(
            "SELECT 1 / (count(*) = $1::bigint)::integer FROM (SELECT 1 FROM \(name) AS t "
                + "JOIN \(rows) ON \(condition) ORDER BY t.id FOR SHARE OF t) AS n")
        delete = Statement(
            "WITH n AS (DELETE FROM \(name) AS t USING \(rows) WHERE \(condition) RETURNING 1) "
                + "SELECT 1 / (count(*) = $1::bigint)::integer FROM n")
    }
}

/// The statements that write the pairs of one many-to-many.
struct PairStatements: Sendable {
    let delete: Statement
    let insert: Statement

    init(_ pairs: SQLPairTable) {
        let (a, b) = (PairColumn.a, PairColumn.b)
        delete = Statement(
            "DELETE FROM \(pairs.table) AS p USING unnest($1::bigint[], $2::bigint[]) AS v(x, y) "
                + "WHERE p.\(a) = v.x AND p.\(b) = v.y")
        let orders = PairColumn.orders(of: pairs)
        let columns = ([a, b] + orders).joined(separator: ", ")
        let arrays = orders.indices.map { ", $\($0 + 3)::bigint[]" }.joined()
        // A number that is not given leaves the one that there is.
        let numbers = orders.map {
            "\($0) = COALESCE(EXCLUDED.\($0), p.\($0))"
        }.joined(separator: ", ")
        insert = Statement(
            "INSERT INTO \(pairs.table) AS p (\(columns)) "
                + "SELECT * FROM unnest($1::bigint[], $2::bigint[]\(arrays)) "
                + "ON CONFLICT (\(a), \(b)) DO "
                + (orders.isEmpty ? "NOTHING" : "UPDATE SET \(numbers)"))
    }
}
