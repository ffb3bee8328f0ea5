import DuramenStore

/// The history of one store of a coordinator.
struct StoreHistory {
    let connection: StoreConnection
    let store: any HistoryTrackingStore
    /// The range of the history when it was looked up.
    let extent: HistoryExtent

    /// Runs a change of the history or its consumers while no save runs.
    func write<Result: Sendable>(
        _ body: (any HistoryTrackingStore) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try connection.write { store throws(StoreError) in try body(store.historyTracking()) }
    }
}
