public import DuramenModel
public import Foundation

/// One save or batch, as the history of its store keeps it.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// The transaction's number in its store: later ones have larger numbers.
    public var transactionNumber: Int64
    /// When it was written, by the clock of whoever wrote it; a hint, since clocks are set back.
    public var timestamp: Date
    /// The store.
    public var storeID: UUID
    /// The name of the program that wrote it.
    public var bundleID: String
    /// The number of the process that wrote it.
    public var processID: String
    /// The name of the context that wrote it.
    public var contextName: String?
    /// The author that the context named.
    public var author: String?
    /// The changes: new objects, then updated ones, then deleted ones, for each part of a batch.
    /// Nil if changes were not requested.
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

    /// The place just behind the transaction.
    public var token: PersistentHistoryToken {
        PersistentHistoryToken([storeID: transactionNumber])
    }
}

/// The change of one object in a transaction.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// A kind of change, by Core Data's numbers.
    public enum ChangeType: Int, Sendable, Hashable, CaseIterable, Codable {
        /// The object is new.
        case insert = 0
        /// The object has other values, or its to-manys other members by pairs.
        case update = 1
        /// The object is gone.
        case delete = 2
    }

    /// The change's number in its store: later ones have larger numbers.
    public var changeID: Int64
    /// The object.
    public var changedObjectID: ManagedObjectID
    /// The kind of change.
    public var changeType: ChangeType
    /// Of an update: the names of the properties that changed, to-manys of many-to-many
    /// relationships among them. The to-many on the other side of a to-one is not listed: the
    /// object with the to-one is.
    public var updatedProperties: Set<String>?
    /// Of a deletion: the last values of attributes that say `preservesValueInHistoryOnDeletion`,
    /// by their names.
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
