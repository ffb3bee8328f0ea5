public import DuramenQuery

/// A snapshot that finds damage below what the other requirements show, such as in its indexes and
/// its file.
///
/// It goes with no capability: ``StoreVerification`` compares what any store shows, and asks those
/// that conform for what is behind it.
public protocol VerifyingSnapshot: StoreSnapshot {
    /// Compares the rows with the derived data that the store keeps, and the file with the form
    /// that the engine writes.
    ///
    /// - Parameter cancellation: Ends the work when it is raised.
    /// - Returns: What contradicts something else; nothing for a sound store.
    /// - Throws: `.cancelled`, `.closed`; not what is a finding.
    func findings(
        cancellation: CancellationFlag?
    ) throws(StoreError) -> [VerificationFinding]
}
