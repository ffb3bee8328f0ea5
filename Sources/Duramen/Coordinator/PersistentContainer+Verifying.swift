public import DuramenStore

extension PersistentContainer {
    /// Checks all stores for contradictions, such as damage or changes made without the library.
    ///
    /// It compares rows, indexes, both sides of relationships, unique values, derived attributes,
    /// orders, files of large values and histories. Each store is checked in one state, and
    /// contexts can be used meanwhile. See ``StoreVerification`` for faults that no comparison can
    /// find.
    ///
    /// ```swift
    /// for finding in try container.verify() { log.error("\(finding)") }
    /// ```
    /// The call blocks its thread for about as long as reading everything three times takes.
    ///
    /// - Parameter cancellation: A flag that cancels the call when raised.
    /// - Returns: The contradictions; an empty array for sound stores.
    /// - Throws: ``StoreError`` `.cancelled`, `.closed`, and errors that are not about a store's
    ///   content.
    public func verify(
        cancellation: CancellationFlag? = nil
    ) throws -> [VerificationFinding] {
        var findings: [VerificationFinding] = []
        for connection in persistentStoreCoordinator.connections {
            var verification = StoreVerification(of: connection.store)
            verification.cancellation = cancellation
            findings += try verification.run()
        }
        return findings
    }
}
