/// A query that a store has accepted, with the preparation of the store for it.
///
/// A store checks, binds or compiles a query once, when it returns the part that it accepts
/// (``Pushdown``). Its snapshots receive the result:
/// ```
///   StoreQuery ──► pushdown(for:) ──► Pushdown ──► PreparedQuery ──► cursor, objectIDs, count …
/// ```
/// A changed query is another query: it has no preparation until a store accepts it.
public struct PreparedQuery: Sendable {
    /// The query, which the store answers exactly, including its window.
    public let query: StoreQuery
    /// The object that the store made, or nil. Check the object's store before you use it. A
    /// snapshot of another store, or of a store that was opened again, may receive it.
    public let preparation: (any AnyObject & Sendable)?

    /// Creates a query for snapshots, by default without a preparation.
    public init(_ query: StoreQuery, preparation: (any AnyObject & Sendable)? = nil) {
        self.query = query
        self.preparation = preparation
    }
}

extension PreparedQuery: Hashable {
    /// Returns whether the queries are equal. Preparations are not compared.
    public static func == (a: PreparedQuery, b: PreparedQuery) -> Bool { a.query == b.query }

    /// Hashes the query.
    public func hash(into hasher: inout Hasher) { hasher.combine(query) }
}
