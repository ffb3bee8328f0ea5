import CSQLite
import DuramenQuery
import DuramenSQL
import DuramenStore

/// Whether a text contains bytes, by the evaluator's own search, as an SQL function:
/// `duramen_contains(text, bytes)`. Null where either is null.
enum ContainmentFunction {
    static func register(on connection: Connection) throws(StoreError) {
        // No index uses it, or Core Data could not write the file; no foreign schema may call it.
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
