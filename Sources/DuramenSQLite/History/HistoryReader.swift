import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// Reads the history of one state.
struct HistoryReader {
    private let connection: Connection
    private let core: StoreCore
    private let tables: HistoryTables
    let extent: HistoryExtent

    /// - Parameters:
    ///   - source: The connection.
    ///   - generation: The state that the connection reads.
    /// - Returns: Nil when no history was started.
    init?(
        _ source: RowSource, generation: StoreGeneration
    ) throws(StoreError) {
        guard let tables = try HistoryTables(source.connection) else { return nil }
        connection = source.connection
        core = source.core
        self.tables = tables
        let first = try connection.integer("SELECT MIN(Z_PK) FROM ATRANSACTION")
        // Core Data may have written transactions that are not saves of Duramen.
        let newest = try connection.integer("SELECT MAX(Z_PK) FROM ATRANSACTION") ?? 0
        let last = max(newest, generation.rawValue)
        extent = HistoryExtent(
            deletedThrough: first.flatMap { $0 > 0 ? $0 - 1 : nil } ?? last, last: last)
    }

    func transactions(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try extent.check(after: request.after, path: core.path)
        var transactions = try heads(request)
        try request.checkOrder(of: transactions, path: core.path)
        guard request.includesChanges, let first = transactions.first, let last = transactions.last
        else { return transactions }
        var places: [Int64: Int] = [:]
        for place in transactions.indices {
            places[transactions[place].transactionNumber] = place
            transactions[place].changes = []
        }
        try forEachChange(from: first.transactionNumber, through: last.transactionNumber) {
            change in
            guard let place = places[change.transactionNumber] else { return }
            transactions[place].changes?.append(change)
        }
        return transactions
    }

    // MARK: - Transactions

    private func heads(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
        let columns = tables.hasStrings ? names.map { $0 + "TS" } + names : names
        let statement = try connection.prepare(
            "SELECT Z_PK, ZTIMESTAMP, \(columns.joined(separator: ", ")) FROM ATRANSACTION "
                + "WHERE Z_PK > ? AND Z_PK <= ? ORDER BY Z_PK LIMIT ?")
        statement.bind([
            .integer(request.after), .integer(request.through),
            .integer(Int64(clamping: request.limit)),
        ])
        var strings: [Int64: String] = [:]
        var wanted: Set<Int64> = []
        var found: [(transaction: PersistentHistoryTransaction, keys: [Int64])] = []
        let store = core.schema.store.uuid ?? UUID()
        try connection.forEachRow(of: statement) { row in
            func text(_ place: Int) -> String? {
                let column = Int32(columns.count - names.count + 2 + place)
                return row.isNull(column)
                    ? nil : String(decoding: row.bytes(column), as: UTF8.self)
            }
            let keys = tables.hasStrings ? names.indices.map { row.integer(Int32($0 + 2)) } : []
            wanted.formUnion(keys)
            found.append(
                (
                    PersistentHistoryTransaction(
                        transactionNumber: row.integer(0),
                        timestamp: Date(timeIntervalSinceReferenceDate: row.double(1)),
                        storeID: store, bundleID: text(1) ?? "", processID: text(3) ?? "",
                        contextName: text(2), author: text(0)), keys
                ))
        }
        wanted.remove(0)
        if !wanted.isEmpty {
            let names = try connection.prepare(
                "SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ?")
            for key in wanted {
                names.bind(key, at: 1)
                try connection.forEachRow(of: names) {
                    strings[key] = String(decoding: $0.bytes(0), as: UTF8.self)
                }
            }
        }
        return found.map { transaction, keys in
            guard keys.count == names.count else { return transaction }
            var transaction = transaction
            transaction.author = strings[keys[0]] ?? transaction.author
            transaction.bundleID = strings[keys[1]] ?? transaction.bundleID
            transaction.contextName = strings[keys[2]] ?? transaction.contextName
            transaction.processID = strings[keys[3]] ?? transaction.processID
            return transaction
        }
    }

    // MARK: - Changes

    private func forEachChange(
        from first: Int64, through last: Int64, _ body: (PersistentHistoryChange) -> Void
    ) throws(StoreError) {
        let schema = core.schema
        let eras = try HistorySchemas(connection, core)
        let statement = try connection.prepare(
            "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS"
                + tables.tombstones.map { ", " + $0 }.joined()
                + " FROM ACHANGE WHERE Z_PK >= ? ORDER BY Z_PK")
        statement.bind(try HistoryTables.firstChange(behind: first - 1, connection), at: 1)
        connection.begin(statement)
        defer { connection.end(statement) }
        let row = StatementColumns(statement: statement.handle)
        var names: [[UInt8]: Set<String>] = [:]
        var namesPlace: (era: Int, entity: EntityID)?
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { throw connection.error(result, "read") }
            let transaction = row.integer(4)
            if transaction > last { return }
            let (place, era) = eras.era(of: transaction)
            // An entity of an earlier model may not exist any more.
            guard let type = PersistentHistoryChange.ChangeType(rawValue: Int(row.integer(1))),
                let entity = era.entity(number: row.integer(2))
            else { continue }
            var change = PersistentHistoryChange(
                changeID: row.integer(0),
                changedObjectID: ManagedObjectID(
                    store: schema.store, entity: era.handle(of: entity), key: row.integer(3)),
                changeType: type, transactionNumber: transaction)
            switch type {
            case .insert: break
            case .update:
                if namesPlace?.era != place || namesPlace?.entity != entity {
                    (names, namesPlace) = ([:], (place, entity))
                }
                // Files may contain any bytes; ignore bits without a property.
                let bytes = Array(
                    row.bytes(5).prefix((era.properties.names[entity.index].count + 7) / 8))
                let set = names[bytes] ?? era.names(ChangedColumns.places(bytes), of: entity)
                names[bytes] = set
                change.updatedProperties = set
            case .delete:
                let kept = era.properties.preserved[entity.index]
                if kept.isEmpty { break }
                let values = zip(kept, tables.tombstones.indices).map { attribute, place in
                    TombstoneValue.value(row, Int32(6 + place), attribute.kind)
                }
                change.tombstone = era.tombstone(values, of: entity)
            }
            body(change)
        }
    }
}

extension Connection {
    /// The consumers for which transactions are kept, by name.
    func historyConsumers() throws(StoreError) -> [HistoryConsumer] {
        guard
            try integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'DURAMEN_CONSUMER'") == 1
        else { return [] }
        let statement = try prepare(
            "SELECT ZNAME, ZTRANSACTION, ZLEASE, ZRENEWED FROM DURAMEN_CONSUMER ORDER BY ZNAME")
        var consumers: [HistoryConsumer] = []
        try forEachRow(of: statement) { row in
            consumers.append(
                HistoryConsumer(
                    name: String(decoding: row.bytes(0), as: UTF8.self),
                    transactionNumber: row.integer(1), leaseSeconds: row.double(2),
                    renewedAt: Date(timeIntervalSinceReferenceDate: row.double(3))))
        }
        return consumers
    }
}
