public import DuramenQuery

/// A snapshot that computes some groups and their aggregates in its engine.
///
/// A store need not conform: the core computes all other groups from the rows. The groups of a
/// snapshot are exactly those that ``ResultExecution`` would compute from the rows.
public protocol AggregatingSnapshot: StoreSnapshot {
    /// Computes the groups of a query whose rows the store returns completely.
    ///
    /// - Returns: The groups in any order; nil if the core is to compute them. Without rows there
    ///   are no groups, even in a query without keys.
    func groups(of query: GroupQuery) throws(StoreError) -> [GroupValues]?
}
