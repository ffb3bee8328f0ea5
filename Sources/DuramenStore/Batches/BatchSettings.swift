import DuramenModel
public import DuramenQuery
public import Foundation

/// The settings that all kinds of batches share.
public struct BatchSettings: Sendable {
    /// The batch's identifier, with which an unknown outcome is resolved; a new one by default.
    public var identifier: UUID
    /// The author of the writes, recorded in the history.
    public var author: String?
    /// The name of the context that writes, recorded in the history.
    public var contextName: String?
    /// A flag that, when raised before the commit, ends the batch with `.cancelled`; nothing is
    /// written then.
    public var cancellation: CancellationFlag?
    /// Whether the outcome lists the IDs of the objects.
    public var keepsObjectIDs: Bool
    /// A closure that receives the number of objects written so far, after each part.
    public var progress: (@Sendable (Int) -> Void)?

    /// Describes the settings of a batch.
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

    /// The change set that describes the batch as a whole to the store.
    var heading: ChangeSet {
        ChangeSet(
            identifier: identifier, author: author, contextName: contextName,
            cancellation: cancellation)
    }

    /// Reports progress, and throws `.cancelled` when the flag is raised.
    func note(_ count: Int) throws(StoreError) {
        progress?(count)
        if cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The batch was cancelled; nothing was written.")
        }
    }

    /// The largest number of rows in a part.
    public static let rowsPerPart = 1_000
    /// The number of bytes of variable-length values in a part, not counting its last row.
    static let bytesPerPart = 8 << 20
}

extension ManagedObjectModel {
    /// Returns the error for two objects that would share unique values.
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
    /// The elements, split into arrays of one part's size.
    var parts: [[Element]] {
        stride(from: 0, to: count, by: BatchSettings.rowsPerPart).map {
            Array(self[$0..<Swift.min($0 + BatchSettings.rowsPerPart, count)])
        }
    }
}
