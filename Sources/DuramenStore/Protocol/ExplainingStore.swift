public import DuramenQuery

/// A store that says how it would answer a query.
///
/// It goes with no capability: of a store that does not explain itself, ``QueryExecution/explanation()``
/// still tells which part of a query it answers.
public protocol ExplainingStore: PersistentStore {
    /// Says how the store would answer what ``PersistentStore/pushdown(for:)`` takes of a query.
    ///
    /// No row is read and nothing is written for it. No value of the query appears in what it says.
    ///
    /// - Parameter query: In the form that ``PersistentStore/pushdown(for:)`` is given.
    /// - Throws: `.invalidRequest` when the query does not fit the store's model; `.closed`.
    func explanation(of query: StoreQuery) throws(StoreError) -> QueryExplanation
}
