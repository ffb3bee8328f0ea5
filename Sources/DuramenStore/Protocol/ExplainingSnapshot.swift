public import DuramenQuery

/// A snapshot that explains how it would evaluate a query.
///
/// No capability declares it. Without conformance, ``QueryExecution/explanation()`` still shows
/// which part of a query the store evaluates.
public protocol ExplainingSnapshot: StoreSnapshot {
    /// Describes how the store would evaluate a query, such as with a statement and the lines of
    /// its plan.
    ///
    /// It reads no rows and writes nothing. The description contains no values of the query.
    ///
    /// - Parameter query: The part that ``PersistentStore/pushdown(for:)`` accepted.
    /// - Throws: `.invalidRequest` when the query does not fit the store's model; `.closed`.
    func steps(of query: PreparedQuery) throws(StoreError) -> [String]
}
