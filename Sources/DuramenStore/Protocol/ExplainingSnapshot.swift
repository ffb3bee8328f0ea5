public import DuramenQuery

/// A snapshot that explains how it would answer a query.
///
/// It goes with no capability: of a store whose snapshots do not explain themselves,
/// ``QueryExecution/explanation()`` still tells which part of a query it answers.
public protocol ExplainingSnapshot: StoreSnapshot {
    /// Says in the store's own words how a query would be answered, such as a statement and the
    /// lines of its plan.
    ///
    /// No row is read and nothing is written for it. No value of the query appears in what it says.
    ///
    /// - Parameter query: What ``PersistentStore/pushdown(for:)`` took of one.
    /// - Throws: `.invalidRequest` when the query does not fit the store's model; `.closed`.
    func steps(of query: PreparedQuery) throws(StoreError) -> [String]
}
