import DuramenModel
import DuramenSQL

/// The statements about a store's own tables, with the names of its schema.
struct StoreTexts: Sendable {
    let beginSnapshot = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    let beginSave = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ")
    let beginBatch = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
    let commit = Statement("COMMIT")
    let rollBack = Statement("ROLLBACK")
    /// The server answers before the commit is on the disk.
    let relaxDurability = Statement("SET LOCAL synchronous_commit = off")
    let savepoint = Statement("SAVEPOINT part")
    let rollBackToSavepoint = Statement("ROLLBACK TO SAVEPOINT part")
    let releaseSavepoint = Statement("RELEASE SAVEPOINT part")
    /// Makes a state usable after a failure in a savepoint.
    let recovery: Pipeline
    /// Saves share the gate; a batch has it alone.
    let lockGateShared: Statement
    let lockGateAlone: Statement
    let lockTurn: Statement
    /// The form of the tables, the newest save, and its stamp.
    let state: Statement
    /// The newest save, the stamp of a save, and the form of the tables.
    let stamp: Statement
    /// Stops the transaction unless the tables have a form, and the history is kept or not.
    let assertState: Statement
    let leaseKeys: Statement
    let raiseKeys: Statement
    /// Gives a save its number, the next one; of its changes too.
    let numberSave: Statement
    let findSave: Statement
    let fenceSave: Statement
    let deleteClaims: Statement
    let insertClaims: Statement
    let findClaims: Statement
    let setMetadata: Statement
    let removeMetadata: Statement
    let replaceMetadata: Statement
    let insertChanges: Statement
    let metadata: Statement
    let about: Statement
    let trimSaves: Statement
    let trimIdentifiers: Statement
    let historyExtent: Statement
    let beginHistory: Statement
    let transactions: Statement
    let changes: Statement
    let modelArchive: Statement
    let epochs: Statement
    let consumers: Statement
    let lockConsumers: Statement
    let setConsumer: Statement
    let removeConsumer: Statement
    let firstTransactionSince: Statement
    let deleteChanges: Statement
    let forgetTransactions: Statement
    let moveHistory: Statement
    /// By table: find a row by its key, and rows by a list of keys.
    private let row: [Statement]
    private let rowLists: [Statement]
    /// By relationship: finds the members of to-manys; nil for to-ones.
    private let members: [Statement?]

    /// Lists with more keys are not prepared: the engine's general plan would be theirs too.
    private static let mostPreparedKeys = 100

    init(_ schema: PostgresSchema) {
        var recovery = Pipeline()
        recovery.add(rollBackToSavepoint)
        recovery.add(releaseSavepoint)
        self.recovery = recovery
        let store = schema.own(.store)
        let saves = schema.own(.saves)
        let identifiers = schema.own(.identifiers)
        let claims = schema.own(.claims)
        let keys = schema.own(.keys)
        let metadata = schema.own(.metadata)
        let orders = PostgresNames.literal(schema.own(.orderNumbers))
        let changeNumbers = PostgresNames.literal(schema.own(.changeNumbers))
        lockGateShared = Statement("LOCK TABLE \(schema.own(.gate)) IN SHARE MODE")
        lockGateAlone = Statement("LOCK TABLE \(schema.own(.gate)) IN EXCLUSIVE MODE")
        lockTurn = Statement("LOCK TABLE \(schema.own(.turn)) IN EXCLUSIVE MODE")
        state = Statement(
            "SELECT s.layout, n.number, n.stamp FROM \(store) AS s, "
                + "(SELECT number, stamp FROM \(saves) ORDER BY number DESC LIMIT 1) AS n")
        stamp = Statement(
            "SELECT (SELECT max(number) FROM \(saves)), "
                + "(SELECT stamp FROM \(saves) WHERE number = $1::bigint), layout FROM \(store)")
        assertState = Statement(
            "SELECT 1 / (layout = $1::bigint AND (history_from IS NOT NULL) = $2::boolean)::integer "
                + "FROM \(store)")
        leaseKeys = Statement(
            "UPDATE \(keys) SET next = next + $2::bigint WHERE root = $1::integer "
                + "RETURNING next - $2::bigint")
        raiseKeys = Statement(
            "UPDATE \(keys) SET next = $2::bigint WHERE root = $1::integer AND next < $2::bigint")
        numberSave = Statement(
            "WITH s AS (INSERT INTO \(saves) (number, stamp, at, program, process, context, "
                + "author, first_change, changes) SELECT nextval(\(orders)), $1::bigint, "
                + "$2::double precision, $3::text, $4::text, $5::text, $6::text, "
                + "CASE WHEN $7::integer > 0 THEN "
                + "setval(\(changeNumbers), nextval(\(changeNumbers)) + $7::integer - 1) - $7::integer + 1 "
                + "END, $7::integer RETURNING number) "
                + "INSERT INTO \(identifiers) SELECT $8::uuid, number FROM s RETURNING number")
        findSave = Statement("SELECT number FROM \(identifiers) WHERE identifier = $1::uuid")
        fenceSave = Statement("INSERT INTO \(identifiers) VALUES ($1::uuid, NULL)")
        deleteClaims = Statement(
            "DELETE FROM \(claims) AS c USING unnest($1::integer[], $2::bigint[]) AS a(n, k) "
                + "WHERE c.key = a.k AND c.cons = a.n")
        insertClaims = Statement(
            "INSERT INTO \(claims) SELECT * FROM "
                + "unnest($1::integer[], $2::bytea[], $3::bigint[], $4::integer[])")
        findClaims = Statement(
            "SELECT key, entity FROM \(claims) WHERE cons = $1::integer AND digest = $2::bytea")
        setMetadata = Statement(
            "INSERT INTO \(metadata) SELECT * FROM unnest($1::text[], $2::bytea[]) "
                + "ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value")
        removeMetadata = Statement("DELETE FROM \(metadata) WHERE name = ANY($1::text[])")
        replaceMetadata = Statement("DELETE FROM \(metadata)")
        insertChanges = Statement(
            "INSERT INTO \(schema.own(.changes)) SELECT $1::bigint, a.* FROM unnest($2::integer[], "
                + "$3::integer[], $4::bigint[], $5::smallint[], $6::bytea[], $7::bytea[]) AS a")
        self.metadata = Statement("SELECT name, value FROM \(metadata)")
        about = Statement(
            "SELECT format, uuid, layout, checksum, hashes, versions, history_from FROM \(store)")
        trimSaves = Statement(
            "DELETE FROM \(saves) WHERE number < (SELECT max(number) FROM \(saves)) - $1::bigint "
                + "AND number < (SELECT COALESCE(history_from, 9223372036854775807) FROM \(store))")
        trimIdentifiers = Statement(
            "DELETE FROM \(identifiers) WHERE number < "
                + "(SELECT max(number) FROM \(saves)) - $1::bigint")
        historyExtent = Statement(
            "SELECT s.history_from, (SELECT max(number) FROM \(saves)) FROM \(store) AS s")
        beginHistory = Statement(
            "UPDATE \(store) SET history_from = (SELECT max(number) FROM \(saves)) "
                + "WHERE history_from IS NULL")
        let change = schema.own(.changes)
        let consumer = schema.own(.consumers)
        transactions = Statement(
            "SELECT number, stamp, at, program, process, context, author, first_change "
                + "FROM \(saves) WHERE number > $1::bigint AND number <= $2::bigint "
                + "AND changes IS NOT NULL ORDER BY number LIMIT $3::bigint")
        self.changes = Statement(
            "SELECT c.stamp, c.position, c.key, c.kind, c.properties, c.tombstone, e.name "
                + "FROM \(change) AS c JOIN \(schema.own(.entities)) AS e ON e.number = c.entity "
                + "WHERE c.stamp = ANY($1::bigint[]) ORDER BY c.stamp, c.position")
        modelArchive = Statement(
            "SELECT archive FROM \(schema.own(.models)) WHERE checksum = $1::text")
        epochs = Statement("SELECT json FROM \(schema.own(.epochs)) ORDER BY number")
        consumers = Statement("SELECT name, number, lease, renewed FROM \(consumer) ORDER BY name")
        lockConsumers = Statement(
            "SELECT name, number, lease, renewed FROM \(consumer) ORDER BY name FOR UPDATE")
        setConsumer = Statement(
            "INSERT INTO \(consumer) VALUES ($1::text, $2::bigint, $3::double precision, "
                + "$4::double precision) ON CONFLICT (name) DO UPDATE SET number = EXCLUDED.number, "
                + "lease = EXCLUDED.lease, renewed = EXCLUDED.renewed")
        removeConsumer = Statement("DELETE FROM \(consumer) WHERE name = $1::text")
        firstTransactionSince = Statement(
            "SELECT number FROM \(saves) WHERE number > $1::bigint AND changes IS NOT NULL "
                + "AND at >= $2::double precision ORDER BY number LIMIT 1")
        deleteChanges = Statement(
            "DELETE FROM \(change) AS c USING \(saves) AS s WHERE c.stamp = s.stamp "
                + "AND s.number > $1::bigint AND s.number <= $2::bigint")
        // The saves are still found by their identifiers.
        forgetTransactions = Statement(
            "UPDATE \(saves) SET changes = NULL WHERE number > $1::bigint "
                + "AND number <= $2::bigint AND changes IS NOT NULL")
        moveHistory = Statement("UPDATE \(store) SET history_from = $1::bigint")
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
