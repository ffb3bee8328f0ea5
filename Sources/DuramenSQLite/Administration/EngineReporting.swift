package import DuramenStore

/// A store that says how its engine is set up, for tests and diagnostics.
package protocol EngineReporting: PersistentStore {
    /// The number that the engine gives for a setting of the writing connection, such as
    /// `synchronous`.
    ///
    /// - Throws: `.readOnly` for a store that has no such connection.
    func setting(_ name: String) throws(StoreError) -> Int64?
}
