public import DuramenStore

extension PersistentContainer {
    /// Looks in all stores for everything that contradicts something else: damage, and what others
    /// wrote past the library.
    ///
    /// Rows, indexes, both sides of relationships, unique values, derived attributes, orders, files
    /// of large values and histories are compared, in one state of each store, while contexts go
    /// on. See ``StoreVerification`` for what no comparison can find.
    ///
    /// ```swift
    /// for finding in try container.verify() { log.error("\(finding)") }
    /// ```
    /// It blocks for as long as reading everything three times takes; call it where that is
    /// allowed.
    ///
    /// - Parameter cancellation: Ends the work when it is raised.
    /// - Returns: The contradictions; an empty array for sound stores.
    /// - Throws: ``StoreError`` `.cancelled`, `.closed`, and errors that say nothing about what a
    ///   store holds.
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
