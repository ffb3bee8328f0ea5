public import DuramenModel
public import DuramenQuery

/// A snapshot that answers result queries in its engine, or some of them.
///
/// The rest is left to the core, which streams the rows: a store need not conform. What it does answer is
/// exactly what ``ResultExecution`` would make of the rows: values in the same form, results in the same
/// order.
public protocol AggregatingSnapshot: StoreSnapshot {
    /// Answers a result query.
    ///
    /// - Parameter query: Checked, and as ``BoundResultQuery/query`` has it.
    /// - Returns: The results, each with a value for each column; nil when the core is to make them.
    func results(of query: ResultQuery) throws(StoreError) -> [[StoredValue]]?
}
