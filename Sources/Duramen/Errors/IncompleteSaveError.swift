public import DuramenModel

/// An error of a save to several stores that failed after some of them were written.
///
/// Objects of the written stores are saved. Objects of the other stores keep their changes: fix
/// ``cause`` and save again, which writes nothing twice.
public struct IncompleteSaveError: Error, Sendable {
    /// The stores that were written.
    public let savedStores: [StoreHandle]
    /// The store that failed. If the cause is `.unknownOutcome`, it may or may not have been
    /// written; the next save resolves this.
    public let failedStore: StoreHandle
    /// The stores that were not written because another store had failed.
    public let unsavedStores: [StoreHandle]
    /// The reason why the store failed: the store's error or a ``SaveConflictError``. After a merge
    /// policy settled conflicts, it may also be a ``ValidationError`` or an error of the policy.
    public let cause: any Error

    /// Core Data's number for an incomplete save.
    public var coreDataCode: Int { 134_040 }
}

extension IncompleteSaveError: DescribedError {
    /// The number of stores that were written, and the cause.
    public var description: String {
        "\(savedStores.count) of \(savedStores.count + 1 + unsavedStores.count) stores were written when "
            + "the next one failed; what is left is still to be saved: \(cause)"
    }
}
