/// The statements about the history and its consumers.
struct HistoryTexts: Sendable {
    /// The last deleted transaction, null without a history, and the newest save.
    let extent: Statement
    let begin: Statement
    let insertChanges: Statement
    let transactions: Statement
    /// The changes of some saves, by their stamps.
    let changes: Statement
    let modelArchive: Statement
    /// The migrations, in order.
    let epochs: Statement
    let consumers: Statement
    let lockConsumers: Statement
    /// Without a history it writes nothing.
    let setConsumer: Statement
    let removeConsumer: Statement
    let firstTransactionSince: Statement
    let deleteChanges: Statement
    /// The saves are still found by their identifiers.
    let forget: Statement
    let move: Statement

    init(_ schema: PostgresSchema) {
        let store = schema.own(.store)
        let saves = schema.own(.saves)
        let change = schema.own(.changes)
        let consumer = schema.own(.consumers)
        extent = Statement(
            "SELECT s.history_from, (SELECT max(number) FROM \(saves)) FROM \(store) AS s")
        begin = Statement(
            "UPDATE \(store) SET history_from = (SELECT max(number) FROM \(saves)) "
                + "WHERE history_from IS NULL")
        insertChanges = Statement(
            "INSERT INTO \(schema.own(.changes)) SELECT $1::bigint, a.* FROM unnest($2::integer[], "
                + "$3::integer[], $4::bigint[], $5::smallint[], $6::bytea[], $7::bytea[]) AS a")
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
        self.consumers = Statement(
            "SELECT name, number, lease, renewed FROM \(consumer) ORDER BY name")
        lockConsumers = Statement(
            "SELECT name, number, lease, renewed FROM \(consumer) ORDER BY name FOR UPDATE")
        setConsumer = Statement(
            "INSERT INTO \(consumer) SELECT $1::text, $2::bigint, $3::double precision, "
                + "$4::double precision FROM \(store) WHERE history_from IS NOT NULL "
                + "ON CONFLICT (name) DO UPDATE SET number = EXCLUDED.number, "
                + "lease = EXCLUDED.lease, renewed = EXCLUDED.renewed")
        removeConsumer = Statement("DELETE FROM \(consumer) WHERE name = $1::text")
        firstTransactionSince = Statement(
            "SELECT number FROM \(saves) WHERE number > $1::bigint AND changes IS NOT NULL "
                + "AND at >= $2::double precision ORDER BY number LIMIT 1")
        deleteChanges = Statement(
            "DELETE FROM \(change) AS c USING \(saves) AS s WHERE c.stamp = s.stamp "
                + "AND s.number > $1::bigint AND s.number <= $2::bigint")
        forget = Statement(
            "UPDATE \(saves) SET changes = NULL WHERE number > $1::bigint "
                + "AND number <= $2::bigint AND changes IS NOT NULL")
        move = Statement("UPDATE \(store) SET history_from = $1::bigint")
    }
}
