import DuramenModel
import DuramenSQL
import Foundation

/// The statements of saves and snapshots, with the names of the schema.
struct StoreTexts: Sendable {
    /// Saves share the gate; a batch has it alone.
    let lockGateShared: Statement
    let lockGateAlone: Statement
    /// One save at a time gets its number.
    let lockTurn: Statement
    /// The form of the tables, the newest save, and its stamp.
    let state: Statement
    /// Stops the transaction unless the tables have a form, and the history is kept or not.
    let assertState: Statement
    /// The newest save, the stamp of a save, and the form of the tables.
    let stamp: Statement
    let leaseKeys: Statement
    let raiseKeys: Statement
    /// Gives a save the next number, and its changes theirs.
    let numberSave: Statement
    let findSave: Statement
    /// Keeps a save from being committed, once nobody knows its outcome.
    let fenceSave: Statement
    let trimSaves: Statement
    let trimIdentifiers: Statement

    /// Lets a connection receive the notices of saves.
    let listen: Statement

    init(_ schema: PostgresSchema, notifies: Bool) {
        let store = schema.own(.store)
        let saves = schema.own(.saves)
        let identifiers = schema.own(.identifiers)
        let keys = schema.own(.keys)
        let orders = SQLQuoting.literal(schema.own(.orderNumbers))
        let changeNumbers = SQLQuoting.literal(schema.own(.changeNumbers))
        let channel = "duramen \(schema.store.uuid?.uuidString ?? "")"
        // The notice has the number of the save, so that nobody has to ask for it.
        let notice =
            notifies ? ", pg_notify(\(SQLQuoting.literal(channel)), number::text)" : ""
        listen = Statement("LISTEN \(SQLQuoting.identifier(channel))", prepared: false)
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
                + "INSERT INTO \(identifiers) SELECT $8::uuid, number FROM s RETURNING number\(notice)"
        )
        findSave = Statement("SELECT number FROM \(identifiers) WHERE identifier = $1::uuid")
        fenceSave = Statement("INSERT INTO \(identifiers) VALUES ($1::uuid, NULL)")
        trimSaves = Statement(
            "DELETE FROM \(saves) WHERE number < (SELECT max(number) FROM \(saves)) - $1::bigint "
                + "AND number < (SELECT COALESCE(history_from, 9223372036854775807) FROM \(store))")
        trimIdentifiers = Statement(
            "DELETE FROM \(identifiers) WHERE number < "
                + "(SELECT max(number) FROM \(saves)) - $1::bigint")
    }
}
