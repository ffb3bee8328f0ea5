import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

extension CompiledSelect {
    /// Takes the statement and binds the values.
    func begin(on connection: Connection) throws(StoreError) -> Statement {
        let statement = try connection.take(text)
        statement.bind(parameters)
        connection.begin(statement)
        return statement
    }

    func count(on source: RowSource) throws(StoreError) -> Int {
        let statement = try begin(on: source.connection)
        defer { source.connection.giveBack(statement) }
        let result = statement.step()
        guard result == SQLITE_ROW else { throw source.connection.error(result, "read") }
        return Int(sqlite3_column_int64(statement.handle, 0))
    }

    func identifiers(
        on source: RowSource, core: StoreCore, _ cancellation: CancellationFlag?
    ) throws(StoreError) -> [ManagedObjectID] {
        let schema = core.schema
        let statement = try begin(on: source.connection)
        var ids: [ManagedObjectID] = []
        defer { source.connection.giveBack(statement, rows: ids.count) }
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { return ids }
            guard result == SQLITE_ROW else { throw source.connection.error(result, "read") }
            if ids.count & 511 == 0, let cancellation, cancellation.isCancelled {
                throw Cancellation.error
            }
            guard let entity = schema.entity(number: sqlite3_column_int64(statement.handle, 1))
            else {
                continue
            }
            ids.append(
                ManagedObjectID(
                    store: schema.store, entity: schema.model[entity].handle,
                    key: sqlite3_column_int64(statement.handle, 0)))
        }
    }
}

/// The error for cancelled work.
enum Cancellation {
    static var error: StoreError {
        StoreError(.cancelled, "The work was cancelled before it took effect.")
    }
}
