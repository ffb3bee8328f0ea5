public import DuramenModel
public import Foundation

/// A save or batch, as recorded in the history of its store.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// The transaction's number in its store: later ones have larger numbers.
    public var transactionNumber: Int64
    /// The time when it was written, by the writer's clock. Only a hint, since clocks may be set
    /// back.
    public var timestamp: Date
    /// The identity of the store.
    public var storeID: UUID
    /// The name of the program that wrote it.
    public var bundleID: String
    /// The number of the process that wrote it.
    public var processID: String
    /// The name of the context that wrote it.
    public var contextName: String?
    /// The author set by the context.
    public var author: String?
    /// The changes: inserts, then updates, then deletes, for each part of a batch. Nil if changes
    /// were not requested.
    public var changes: [PersistentHistoryChange]?

    /// Describes a transaction.
    public init(
        transactionNumber: Int64, timestamp: Date, storeID: UUID, bundleID: String,
        processID: String,
        contextName: String? = nil, author: String? = nil, changes: [PersistentHistoryChange]? = nil
    ) {
        self.transactionNumber = transactionNumber
        self.timestamp = timestamp
        self.storeID = storeID
        self.bundleID = bundleID
        self.processID = processID
        self.contextName = contextName
        self.author = author
        self.changes = changes
    }

    /// The position directly after the transaction.
    public var token: PersistentHistoryToken {
        PersistentHistoryToken([storeID: transactionNumber])
    }
}

/// The change of one object in a transaction.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// A kind of change, with Core Data's numbers.
    public enum ChangeType: Int, Sendable, Hashable, CaseIterable, Codable {
        /// The object was inserted.
        case insert = 0
        /// The object has other values, or other members of a many-to-many relationship.
        case update = 1
        /// The object was deleted.
        case delete = 2
    }

    /// The change's number in its store: later ones have larger numbers.
    public var changeID: Int64
    /// The changed object.
    public var changedObjectID: ManagedObjectID
    /// The kind of change.
    public var changeType: ChangeType
    /// For an update, the names of the changed properties, including many-to-many relationships. A
    /// to-many relationship with a to-one inverse is not listed: the change is of the object with
    /// the to-one.
    public var updatedProperties: Set<String>?
    /// For a deletion, the last values of attributes with `preservesValueInHistoryOnDeletion`, by
    /// their names.
    public var tombstone: [String: StoredValue]?
    /// The number of the transaction.
    public var transactionNumber: Int64

    /// Describes a change.
    public init(
        changeID: Int64, changedObjectID: ManagedObjectID, changeType: ChangeType,
        updatedProperties: Set<String>? = nil, tombstone: [String: StoredValue]? = nil,
        transactionNumber: Int64
    ) {
        self.changeID = changeID
        self.changedObjectID = changedObjectID
        self.changeType = changeType
        self.updatedProperties = updatedProperties
        self.tombstone = tombstone
        self.transactionNumber = transactionNumber
    }
}
