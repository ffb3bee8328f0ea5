import DuramenModel
import DuramenStore
import Foundation

/// Reads the history of one state.
struct HistoryReader {
    private let core: StoreCore
    private let reading: RowReading
    private let eras: HistoryEras
    let extent: HistoryExtent

    /// Transactions are decoded so many at a time.
    private static let pageSize = 1_000

    /// - Parameters:
    ///   - reading: The state.
    ///   - number: The last transaction before those that are asked for.
    /// - Returns: Nil when no history was started.
    init?(_ reading: RowReading, after number: Int64) throws(StoreError) {
        core = reading.core
        self.reading = reading
        let core = core
        var pipeline = Pipeline()
        pipeline.add(core.statements.history.extent)
        pipeline.add(core.statements.history.epochs)
        let results = try reading.run(pipeline)
        guard let extent = try Self.extent(results[0], core) else { return nil }
        self.extent = extent
        let migrations = try MigrationRecords.decode(results[1], core.place)
        eras = try HistoryEras(migrations.filter { $0.save > number }, present: core.model) {
            (checksum) throws(StoreError) in
            let archive = try reading.run(core.statements.history.modelArchive, [.text(checksum)])
            return try StoredModel(
                archive: archive.rowCount == 1 ? Data(archive.bytes(0, 0)) : nil, codableTypes: [],
                transformers: core.model.transformers, path: core.place
            ).model
        }
    }

    /// The range of the history; nil when none was started.
    static func extent(_ reading: RowReading) throws(StoreError) -> HistoryExtent? {
        try extent(reading.run(reading.core.statements.history.extent, []), reading.core)
    }

    private static func extent(
        _ result: ResultSet, _ core: StoreCore
    ) throws(StoreError) -> HistoryExtent? {
        guard result.rowCount == 1, let last = result.int64(0, 1) else { throw core.damagedState }
        return result.int64(0, 0).map { HistoryExtent(deletedThrough: $0, last: last) }
    }

    func transactions(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try extent.check(after: request.after, path: core.place)
        var found: [PersistentHistoryTransaction] = []
        var after = request.after
        while found.count < request.limit {
            let limit = min(Self.pageSize, request.limit - found.count)
            let page = try self.page(after: after, request, limit)
            found += page
            guard page.count == limit, let last = page.last?.transactionNumber, last > after else {
                break
            }
            after = last
        }
        try request.checkOrder(of: found, path: core.place)
        return found
    }

    private func page(
        after number: Int64, _ request: HistoryRequest, _ limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        if limit <= 0 { return [] }
        let saves = try reading.run(
            core.statements.history.transactions,
            [.bigint(number), .bigint(request.through), .bigint(Int64(limit))])
        var transactions: [PersistentHistoryTransaction] = []
        var places: [Int64: (place: Int, first: Int64)] = [:]
        var stamps: [Int64] = []
        for row in 0..<saves.rowCount {
            guard let number = saves.int64(row, 0), let stamp = saves.int64(row, 1) else {
                continue
            }
            places[stamp] = (transactions.count, saves.int64(row, 7) ?? 0)
            stamps.append(stamp)
            transactions.append(
                PersistentHistoryTransaction(
                    transactionNumber: number,
                    timestamp: Date(
                        timeIntervalSinceReferenceDate: saves.double(row, 2) ?? 0),
                    storeID: core.schema.store.uuid ?? UUID(),
                    bundleID: saves.storedText(row, 3) ?? "",
                    processID: saves.storedText(row, 4) ?? "",
                    contextName: saves.storedText(row, 5), author: saves.storedText(row, 6),
                    changes: request.includesChanges ? [] : nil))
        }
        if !request.includesChanges || transactions.isEmpty { return transactions }
        let changes = try reading.run(core.statements.history.changes, [.bigints(stamps)])
        for row in 0..<changes.rowCount {
            guard let stamp = changes.int64(row, 0), let (place, first) = places[stamp] else {
                continue
            }
            if let change = try change(
                changes, row, first, transactions[place].transactionNumber)
            {
                transactions[place].changes?.append(change)
            }
        }
        return transactions
    }

    /// Decodes a change; nil for an entity that no version of the model has.
    private func change(
        _ result: ResultSet, _ row: Int, _ first: Int64, _ number: Int64
    ) throws(StoreError) -> PersistentHistoryChange? {
        let era = eras.era(of: number)
        let model = era?.model ?? core.model
        guard let position = result.int32(row, 1), let key = result.int64(row, 2),
            let kind = result.int64(row, 3),
            let type = PersistentHistoryChange.ChangeType(rawValue: Int(kind)),
            let name = result.storedText(row, 6), let entity = model.entity(named: name)
        else { return nil }
        var names: Set<String>?
        if type == .update {
            let numbering = era?.numbering ?? core.properties
            names = numbering.names(at: Self.places(result.bytes(row, 4)), in: entity.id)
        }
        var tombstone: [String: StoredValue]?
        if !result.isNull(row, 5) {
            tombstone = try StoredJSON.value(result.bytes(row, 5), "changes", core.place)
        }
        if let era {
            names = names.map { era.names($0, of: entity.id) }
            tombstone = tombstone.map { era.values($0, of: entity.id) }
        }
        return PersistentHistoryChange(
            changeID: first + Int64(position),
            changedObjectID: ManagedObjectID(
                store: core.schema.store, entity: era?.handle(of: entity.id) ?? entity.handle,
                key: key),
            changeType: type, updatedProperties: names, tombstone: tombstone,
            transactionNumber: number)
    }

    private static func places(_ bits: UnsafeRawBufferPointer) -> SlotSet {
        var places = SlotSet()
        for (index, byte) in bits.enumerated() {
            for bit in 0..<8 where byte & 1 << UInt8(bit) != 0 { places.insert(index * 8 + bit) }
        }
        return places
    }
}

/// The migrations of a store.
enum MigrationRecords {
    /// Decodes one column, the records in order.
    static func decode(
        _ result: ResultSet, _ place: String
    ) throws(StoreError) -> [StoreMigrationRecord] {
        var records: [StoreMigrationRecord] = []
        for row in 0..<result.rowCount {
            records.append(try StoredJSON.value(result.bytes(row, 0), "epochs", place))
        }
        return records
    }
}
