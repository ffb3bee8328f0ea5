package import DuramenStore

/// A store that reports its engine's settings, for tests and diagnostics.
package protocol EngineReporting: PersistentStore {
    /// Returns the number of a setting of the writing connection, such as `synchronous`.
    ///
    /// - Throws: `.readOnly` for a store without a writing connection.
    func setting(_ name: String) throws(StoreError) -> Int64?
}
