package import DuramenQuery

/// The dialect of PostgreSQL.
///
/// Columns of texts and URIs have `COLLATE "C"`, which orders by bytes. Their parameters are
/// escaped by the store, since the server refuses the character NUL.
package struct PostgresDialect: SQLDialect {
    /// Creates the dialect.
    package init() {}

    package func placeholder(_ number: Int, _ type: SQLParameterType) -> String {
        "$\(number)::\(Self.name(of: type))"
    }
    /// Returns the name of a type.
    package static func name(of type: SQLParameterType) -> String {
        switch type {
        case .bigint: "bigint"
        case .double: "double precision"
        case .boolean: "boolean"
        case .text: "text"
        case .bytes: "bytea"
        case .uuid: "uuid"
        case .decimal: "numeric"
        case .list(let element): name(of: element) + "[]"
        }
    }

    package func truth(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }
    package func null(as kind: SQLKind) -> String {
        switch kind {
        case .integer: "NULL::bigint"
        case .boolean: "NULL::boolean"
        case .double, .date: "NULL::double precision"
        case .number, .decimal: "NULL::numeric"
        case .text, .uri: "NULL::text"
        case .binary, .boxed: "NULL::bytea"
        case .uuid: "NULL::uuid"
        }
    }
    // The planner knows by its statistics that most rows have the entity.
    package func hint(_ column: String) -> String { column }
    package func ifNull(_ value: String, _ other: String) -> String {
        "COALESCE(\(value), \(other))"
    }
    package func collated(_ text: String) -> String { "(\(text) COLLATE \"C\")" }
    // JOIN alone needs a condition.
    package var freeJoin: String { "CROSS JOIN" }
    // The planner knows by its statistics which order is better.
    package var nestedJoin: String { "JOIN" }
    package var noLimit: SQLParameter { .null }

    package func same(_ left: String, _ right: String) -> String {
        "(\(left) IS NOT DISTINCT FROM \(right))"
    }
    package func different(_ left: String, _ right: String) -> String {
        "(\(left) IS DISTINCT FROM \(right))"
    }
    package func member(_ column: String, _ list: String) -> String { "\(column) = ANY(\(list))" }
    package var hasArrays: Bool { true }
    package var isTyped: Bool { true }
    package var comparesDecimals: Bool { true }

    package var searchForm: ParameterForm { .needle }
    package func bytesContain(_ text: String, _ needle: String) -> String {
        "strpos(\(text), \(needle)) > 0"
    }
    package func bytesEnd(_ text: String, count: Int, _ ending: String) -> String {
        "right(\(text), length(\(ending))) = \(ending)"
    }
    // The server would order null after all values.
    package func sortKey(_ column: String, isText: Bool, ascending: Bool) -> String {
        column + (isText ? " COLLATE \"C\"" : "")
            + (ascending ? " ASC NULLS FIRST" : " DESC NULLS LAST")
    }
    package func folded(_ text: String, _ options: PredicateComparison.Options) -> String? { nil }

    // Overflow, underflow and division by 0 are errors that abort the transaction.
    package func arithmetic(_ function: FetchFunction, _ kinds: [SQLKind]) -> String? { nil }
    // PostgreSQL 15 has no MAX of bytea, uuid and boolean (functions-aggregate.html).
    package func hasExtremes(of kind: SQLKind) -> Bool {
        switch kind {
        case .integer, .double, .date, .text, .uri, .decimal: true
        case .boolean, .number, .binary, .uuid, .boxed: false
        }
    }
    // SUM of bigint is numeric, and exact; that of narrower integers may not fit its type.
    package func wholeSum(_ integers: String) -> String? {
        "COALESCE(SUM((\(integers))::bigint), 0)"
    }
    package func call(_ specification: String, _ arguments: [String]) -> String? { nil }
    package func collect(_ kind: SQLKind, _ argument: String) -> String? { nil }
    package func aggregate(
        _ function: FetchFunction, _ kind: SQLKind, _ argument: String
    ) -> String? { nil }

    // The protocol counts parameters in 16 bits (protocol-message-formats.html).
    package var maximumParameters: Int { 65_535 }
    package func fits(_ text: String) -> Bool { true }
}
