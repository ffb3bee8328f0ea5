public import DuramenQuery

/// A snapshot that makes groups, and aggregates of them, in its engine, or some of them.
///
/// The rest is left to the core, which streams the rows: a store need not conform. What it does
/// answer is exactly what ``ResultExecution`` would make of the rows.
public protocol AggregatingSnapshot: StoreSnapshot {
    /// Makes the groups of a query whose rows the store answers whole.
    ///
    /// - Returns: The groups in any order; nil when the core is to make them. Where there is no row
    ///   there is no group, even without keys.
    func groups(of query: GroupQuery) throws(StoreError) -> [GroupValues]?
}
