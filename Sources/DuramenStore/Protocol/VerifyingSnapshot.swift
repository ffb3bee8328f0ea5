public import DuramenQuery

/// A snapshot that finds damage that the other requirements do not show, such as in its indexes and
/// its file.
///
/// No capability declares it. ``StoreVerification`` compares the rows of any store, and also calls
/// the snapshots that conform.
public protocol VerifyingSnapshot: StoreSnapshot {
    /// Compares the rows with the derived data that the store keeps, and the file with the format
    /// that the engine writes.
    ///
    /// - Parameter cancellation: Ends the work when it is raised.
    /// - Returns: The contradictions; empty for a sound store.
    /// - Throws: `.cancelled`, `.closed`; contradictions are findings, not errors.
    func findings(
        cancellation: CancellationFlag?
    ) throws(StoreError) -> [VerificationFinding]
}
