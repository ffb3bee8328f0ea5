import DuramenModel
import DuramenStore
import Foundation
import HashTreeCollections

/// The history of a memory store in one of its states.
struct MemoryHistory: Sendable {
    /// The history contains the transactions after this number.
    private(set) var deletedThrough: Int64
    /// The transactions by number.
    private var transactions: TreeDictionary<Int64, PersistentHistoryTransaction> = [:]
    /// The last transaction's number.
    private var last: Int64
    /// The number of all changes so far.
    private var changeCount: Int64 = 0
    /// The consumers by name.
    var consumers: [StoredText: HistoryConsumer] = [:]

    /// - Parameter generation: The newest state.
    init(after generation: Int64) {
        deletedThrough = generation
        last = generation
    }

    /// Returns the range of the history.
    ///
    /// - Parameter generation: The state with this history.
    func extent(_ generation: Int64) -> HistoryExtent {
        HistoryExtent(deletedThrough: deletedThrough, last: generation)
    }

    /// Adds the transaction of a save.
    mutating func add(_ transaction: MemoryTransaction) {
        last = transaction.number
        transactions[last] = transaction.numbered(from: &changeCount)
    }

    /// Renames entities and properties to those of another version of the model.
    mutating func rename(by era: HistoryEras.Era, store: StoreHandle) {
        transactions = transactions.mapValues { transaction in
            var transaction = transaction
            transaction.changes = transaction.changes?.map { change in
                guard let entity = era.model.entity(of: change.changedObjectID) else {
                    return change
                }
                var change = change
                change.changedObjectID = ManagedObjectID(
                    store: store, entity: era.handle(of: entity.id),
                    key: change.changedObjectID.key)
                change.updatedProperties = change.updatedProperties.map {
                    era.names($0, of: entity.id)
                }
                change.tombstone = change.tombstone.map { era.values($0, of: entity.id) }
                return change
            }
            return transaction
        }
    }

    /// Returns transactions; the request was checked.
    func transactions(_ request: HistoryRequest) -> [PersistentHistoryTransaction] {
        var found: [PersistentHistoryTransaction] = []
        var number = request.after + 1
        // States of metadata that was set from outside have no transaction.
        while number <= min(request.through, last), found.count < request.limit {
            if var transaction = transactions[number] {
                if !request.includesChanges { transaction.changes = nil }
                found.append(transaction)
            }
            number += 1
        }
        return found
    }

    /// Deletes the oldest transactions that no live consumer needs.
    mutating func delete(_ deletion: HistoryDeletion, at now: Date) -> HistoryDeletion.Outcome {
        var limit = min(deletion.through, last)
        if let date = deletion.olderThan {
            var number = deletedThrough
            while number < limit, transactions[number + 1].map({ $0.timestamp < date }) ?? true {
                number += 1
            }
            limit = number
        }
        let (through, keptFor) = Array(consumers.values).bound(limit, at: now)
        var count = 0
        while deletedThrough < through {
            deletedThrough += 1
            if transactions.removeValue(forKey: deletedThrough) != nil { count += 1 }
        }
        return HistoryDeletion.Outcome(count: count, keptFor: keptFor)
    }
}

/// The transaction of one save or batch, built part by part.
struct MemoryTransaction {
    let number: Int64
    var date: Date
    private let heading: ChangeSet
    private let database: MemoryDatabase
    private let store: StoreHandle
    private var changes: [PersistentHistoryChange] = []

    init(_ heading: ChangeSet, number: Int64, at date: Date, in database: MemoryDatabase) {
        self.heading = heading
        self.number = number
        self.date = date
        self.database = database
        store = StoreHandle(uuid: database.uuid)
    }

    /// Adds the edits of a change set.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - base: The state before.
    mutating func add(_ changes: ChangeSet, from base: MemoryState) {
        let (model, properties) = (database.model, database.properties)
        let edits = HistoryEdits(changes, properties, in: model)
        for row in changes.inserts {
            self.changes.append(change(row.objectID(in: model, store: store), .insert))
        }
        for update in edits.updates {
            let entity = model[update.entity]
            let id = ManagedObjectID(store: store, entity: entity.handle, key: update.key)
            var change = change(id, .update)
            change.updatedProperties = properties.names(at: update.properties, in: update.entity)
            self.changes.append(change)
        }
        let rows = edits.leavingValues.compactMap { base.row(for: $0, in: model) }
        let tombstones = HistoryTombstones(rows, properties, in: model, store: store)
        for deletion in changes.deletes {
            var change = change(deletion.id, .delete)
            if let values = tombstones[deletion.id], let entity = model.entity(of: deletion.id) {
                change.tombstone = properties.tombstone(values, of: entity.id)
            }
            self.changes.append(change)
        }
    }

    private func change(
        _ id: ManagedObjectID, _ type: PersistentHistoryChange.ChangeType
    ) -> PersistentHistoryChange {
        PersistentHistoryChange(
            changeID: 0, changedObjectID: id, changeType: type, transactionNumber: number)
    }

    /// Returns the transaction, whose changes get the next numbers.
    func numbered(from count: inout Int64) -> PersistentHistoryTransaction {
        var changes = changes
        for place in changes.indices {
            count += 1
            changes[place].changeID = count
        }
        return PersistentHistoryTransaction(
            transactionNumber: number, timestamp: date, storeID: database.uuid,
            bundleID: HistoryOrigin.bundleID, processID: HistoryOrigin.processID,
            contextName: heading.contextName, author: heading.author, changes: changes)
    }
}
