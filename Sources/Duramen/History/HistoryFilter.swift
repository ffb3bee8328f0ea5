import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// The transactions and changes that a history request selects.
struct HistoryFilter {
    private let request: PersistentHistoryChangeRequest
    private let transactions: BoundPredicate?
    private let changes: BoundPredicate?

    /// Creates the filter of a request.
    ///
    /// - Throws: ``FetchPredicateError`` for a predicate with properties that transactions and
    ///   changes do not have.
    init(_ request: PersistentHistoryChangeRequest) throws {
        self.request = request
        transactions = try request.transactionPredicate?.bound(
            to: Entities.transaction, in: Entities.model)
        changes = try request.changePredicate?.bound(to: Entities.change, in: Entities.model)
    }

    /// Whether the filter or the result needs changes.
    var needsChanges: Bool {
        request.changeFilter != nil || changes != nil
            || [.objectIDs, .changesOnly, .transactionsAndChanges].contains(request.resultType)
    }

    /// Whether all transactions are selected.
    var takesAllTransactions: Bool { request.transactionFilter == nil && transactions == nil }

    func wants(_ transaction: PersistentHistoryTransaction) -> Bool {
        if request.transactionFilter?(transaction) == false { return false }
        guard let transactions else { return true }
        return transactions.holds([
            "author": transaction.author.text, "bundleID": transaction.bundleID.text,
            "contextName": transaction.contextName.text, "processID": transaction.processID.text,
            "timestamp": .date(transaction.timestamp),
            "transactionNumber": .integer(transaction.transactionNumber),
        ])
    }

    func wants(_ change: PersistentHistoryChange) -> Bool {
        if request.changeFilter?(change) == false { return false }
        guard let changes else { return true }
        return changes.holds([
            "changeID": .integer(change.changeID),
            "changeType": .integer(Int64(change.changeType.rawValue)),
            "changedEntity": change.changedObjectID.entityName.text,
            "changedObjectID": change.changedObjectID.uriRepresentation.absoluteString.text,
            "transactionNumber": .integer(change.transactionNumber),
        ])
    }

    /// Returns the transaction with the selected changes; nil if it has changes and none is
    /// selected.
    func filtered(_ transaction: PersistentHistoryTransaction) -> PersistentHistoryTransaction? {
        guard request.changeFilter != nil || changes != nil else { return transaction }
        var transaction = transaction
        transaction.changes = transaction.changes?.filter(wants)
        return transaction.changes?.isEmpty == true ? nil : transaction
    }
}

/// The entities that history predicates apply to. They are never stored.
private enum Entities {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Transaction",
                    attributes: ["author", "bundleID", "contextName", "processID"].map {
                        AttributeDescription($0, .string, isOptional: true)
                    } + [
                        AttributeDescription("timestamp", .date),
                        AttributeDescription("transactionNumber", .integer64),
                    ]),
                EntityDescription(
                    name: "Change",
                    attributes: ["changeID", "changeType", "transactionNumber"].map {
                        AttributeDescription($0, .integer64)
                    }
                        + ["changedEntity", "changedObjectID"].map {
                            AttributeDescription($0, .string)
                        }),
            ])
        } catch {
            preconditionFailure("The entities of history are constants, and resolve: \(error)")
        }
    }()

    static var transaction: Entity { entity("Transaction") }
    static var change: Entity { entity("Change") }

    private static func entity(_ name: String) -> Entity {
        guard let entity = model.entity(named: name) else {
            preconditionFailure("The entities of history are constants.")
        }
        return entity
    }

    /// An evaluation source without objects, because transactions and changes have no
    /// relationships.
    struct Source: EvaluationSource {
        var model: ManagedObjectModel { Entities.model }
        var store: StoreHandle { .none }
        func row(for id: ManagedObjectID) -> Row? { nil }
        func destinations(
            of relationship: Relationship, from id: ManagedObjectID
        ) -> [ManagedObjectID] { [] }
    }
}

extension BoundPredicate {
    /// Whether the predicate is true for the values of a transaction or change.
    fileprivate func holds(_ values: [String: StoredValue]) -> Bool {
        let entity = Entities.model[self.entity]
        var builder = RowBatchBuilder(capacity: 512)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: 1,
            version: RowVersion(rawValue: 0))
        for attribute in entity.attributes {
            builder.set(values[attribute.name] ?? .null, at: attribute.slot, as: attribute.kind)
        }
        builder.endRow()
        let row = builder.finish()[0]
        let id = ManagedObjectID(store: .none, entity: entity.handle, key: 1)
        return evaluate(row, id: id, in: Entities.Source())
    }
}

extension String {
    fileprivate var text: StoredValue { .text(StoredText(self)) }
}

extension String? {
    fileprivate var text: StoredValue { map { .text(StoredText($0)) } ?? .null }
}
