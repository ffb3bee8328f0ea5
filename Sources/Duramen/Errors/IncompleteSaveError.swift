public import DuramenModel

/// A save of several stores failed when some of them were written already.
///
/// Objects of the written stores are saved and clean. Those of the others keep their changes: put
/// right what ``cause`` says, and save again, which writes nothing twice.
public struct IncompleteSaveError: Error, Sendable {
    /// The stores that were written.
    public let savedStores: [StoreHandle]
    /// The store that failed. If the cause is `.unknownOutcome`, it may or may not have been
    /// written; the next save finds out.
    public let failedStore: StoreHandle
    /// The stores that were not written because another one had failed before.
    public let unsavedStores: [StoreHandle]
    /// The reason why the store failed: the store's error or a ``SaveConflictError``. If a merge
    /// policy settled a conflict of the rest, also a ``ValidationError`` or the error that the
    /// policy threw.
    public let cause: any Error

    /// Core Data's number for an incomplete save.
    public var coreDataCode: Int { 134_040 }
}

extension IncompleteSaveError: DescribedError {
    /// How many stores were written, and the cause.
    public var description: String {
        "\(savedStores.count) of \(savedStores.count + 1 + unsavedStores.count) stores were written when "
            + "the next one failed; what is left is still to be saved: \(cause)"
    }
}
