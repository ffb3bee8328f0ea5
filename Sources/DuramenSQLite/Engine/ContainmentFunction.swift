import CSQLite
import DuramenQuery
import DuramenSQL
import DuramenStore

/// The evaluator's search for bytes in a text as an SQL function: `duramen_contains(text, bytes)`.
/// Null if either is null.
enum ContainmentFunction {
    static func register(on connection: Connection) throws(StoreError) {
        // Indexes must not use it, or Core Data could not write the file; a foreign schema must not
        // call it.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let result = sqlite3_create_function_v2(
            connection.handle, SQLiteDialect.containmentFunction, 2, flags, nil,
            { context, _, arguments in
                guard let arguments, let text = FoldingFunction.bytes(of: arguments[0]),
                    let needle = FoldingFunction.bytes(of: arguments[1])
                else { return sqlite3_result_null(context) }
                sqlite3_result_int(context, ByteSearch.first(needle, in: text) == nil ? 0 : 1)
            }, nil, nil, nil)
        if result != SQLITE_OK { throw connection.error(result, "open") }
    }
}
