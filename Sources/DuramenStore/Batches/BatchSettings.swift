import DuramenModel
public import DuramenQuery
public import Foundation

/// The settings that all kinds of batches share.
public struct BatchSettings: Sendable {
    /// The batch's own name, by which an unknown outcome is resolved; a new one by default.
    public var identifier: UUID
    /// The author of the writes, recorded in the history.
    public var author: String?
    /// The name of the context that writes, for history.
    public var contextName: String?
    /// A flag that, when raised before the commit, ends the batch with `.cancelled`; nothing is
    /// written then.
    public var cancellation: CancellationFlag?
    /// Whether the IDs of the objects are wanted.
    public var keepsObjectIDs: Bool
    /// A closure that receives the number of objects written so far, after each part.
    public var progress: (@Sendable (Int) -> Void)?

    /// Describes a batch.
    public init(
        identifier: UUID? = nil, author: String? = nil, contextName: String? = nil,
        cancellation: CancellationFlag? = nil, keepsObjectIDs: Bool = false,
        progress: (@Sendable (Int) -> Void)? = nil
    ) {
        self.identifier = identifier ?? SaveIdentifiers.next()
        self.author = author
        self.contextName = contextName
        self.cancellation = cancellation
        self.keepsObjectIDs = keepsObjectIDs
        self.progress = progress
    }

    /// What the store is told of the batch as a whole.
    var heading: ChangeSet {
        ChangeSet(
            identifier: identifier, author: author, contextName: contextName,
            cancellation: cancellation)
    }

    /// Tells how far the batch is, and ends it when that is wanted.
    func note(_ count: Int) throws(StoreError) {
        progress?(count)
        if cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The batch was cancelled; nothing was written.")
        }
    }

    /// How many rows a part has.
    static let rowsPerPart = 1_000
    /// How many bytes of values that have no fixed length a part has, but for its last row.
    static let bytesPerPart = 8 << 20
}

extension ManagedObjectModel {
    /// The error of two objects that would share unique values.
    func uniquenessViolated(_ conflict: UniquenessConflict) -> StoreError {
        let names = conflict.constraint.properties.joined(separator: ", ")
        return StoreError(
            .uniquenessViolated,
            "\(conflict.id) and \(conflict.otherID) would have the same \(names) of "
                + "'\(self[conflict.constraint.entity].name)'. Change one of them first, or choose a merge policy.",
            objectID: conflict.id)
    }
}

extension Array {
    /// The elements in pieces of as many as a part has.
    var parts: [[Element]] {
        stride(from: 0, to: count, by: BatchSettings.rowsPerPart).map {
            Array(self[$0..<Swift.min($0 + BatchSettings.rowsPerPart, count)])
        }
    }
}
