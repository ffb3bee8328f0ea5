/// A query that a store has taken, and what the store prepared to answer it.
///
/// A store checks, binds or compiles a query once, when it says what it takes of it (``Pushdown``).
/// Its snapshots receive the result:
/// ```
///   StoreQuery ──► pushdown(for:) ──► Pushdown ──► PreparedQuery ──► cursor, objectIDs, count …
/// ```
/// A query that changes is another one: nothing is prepared for it until a store takes it.
public struct PreparedQuery: Sendable {
    /// The query, which the store answers exactly, window and all.
    public let query: StoreQuery
    /// The object that the store made, or nil. Check what it was made for before you use it: a
    /// snapshot of another store, or of the same one opened again, may receive it.
    public let preparation: (any AnyObject & Sendable)?

    /// Makes a query for snapshots, with nothing prepared by default.
    public init(_ query: StoreQuery, preparation: (any AnyObject & Sendable)? = nil) {
        self.query = query
        self.preparation = preparation
    }
}

extension PreparedQuery: Hashable {
    /// Whether the queries are equal: a query asks the same whatever was prepared for it.
    public static func == (a: PreparedQuery, b: PreparedQuery) -> Bool { a.query == b.query }

    /// Adds the query.
    public func hash(into hasher: inout Hasher) { hasher.combine(query) }
}
