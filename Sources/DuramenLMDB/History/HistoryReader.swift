import DuramenModel
import DuramenStore
import Foundation

/// Reads the history of one state.
struct HistoryReader {
    private let history: HistoryTable
    private let schema: StoreSchema
    private let eras: HistoryEras
    let extent: HistoryExtent

    /// - Returns: Nil when no history was started.
    init?(_ transaction: Transaction, _ schema: StoreSchema) throws(StoreError) {
        guard let table = schema.tables.history else { return nil }
        history = HistoryTable(transaction, table)
        guard try history.isBegun() else { return nil }
        self.schema = schema
        let meta = MetaTable(transaction: transaction, table: schema.tables.meta)
        eras = try HistoryEras(try meta.migrations(), present: schema.model) {
            (checksum) throws(StoreError) in
            try StoredModel(
                archive: meta.modelArchive(of: checksum), codableTypes: [],
                transformers: schema.model.transformers, path: schema.path
            ).model
        }
        let last = try SaveLog(schema, transaction).lastNumber()
        extent = HistoryExtent(
            deletedThrough: try history.bounds().map { $0.first - 1 } ?? last, last: last)
    }

    func transactions(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try extent.check(after: request.after, path: schema.path)
        if request.limit <= 0 || request.after == .max { return [] }
        var decoding = Decoding(schema, history, eras)
        var found: [PersistentHistoryTransaction] = []
        try history.forEachRecord(from: request.after + 1, readsGroups: request.includesChanges) {
            (number, record) throws(StoreError) in
            if number > request.through { return false }
            if let head = record.head {
                if found.count == request.limit { return false }
                found.append(
                    try decoding.transaction(head, number, hasChanges: request.includesChanges))
            }
            if request.includesChanges, !found.isEmpty {
                found[found.count - 1].changes?.append(
                    contentsOf: try decoding.changes(record, number))
            }
            return true
        }
        try request.checkOrder(of: found, path: schema.path)
        return found
    }

    /// Decodes numbers of texts.
    private struct Decoding {
        private let schema: StoreSchema
        private let store: UUID
        private let history: HistoryTable
        private var texts: [UInt64: String?] = [:]
        private let eras: HistoryEras
        private var lists: [UInt64: [String]] = [:]

        init(_ schema: StoreSchema, _ history: HistoryTable, _ eras: HistoryEras) {
            self.schema = schema
            self.eras = eras
            self.history = history
            store = schema.handle.uuid ?? UUID()
        }

        private mutating func text(_ number: UInt64) throws(StoreError) -> String? {
            if number == 0 { return nil }
            if let known = texts[number] { return known }
            let text = try history.text(number)
            texts[number] = .some(text)
            return text
        }

        mutating func transaction(
            _ head: HistoryRecord.Head, _ number: Int64, hasChanges: Bool
        ) throws(StoreError) -> PersistentHistoryTransaction {
            PersistentHistoryTransaction(
                transactionNumber: number, timestamp: head.timestamp, storeID: store,
                bundleID: try text(head.bundleID) ?? "", processID: try text(head.processID) ?? "",
                contextName: try text(head.contextName), author: try text(head.author),
                changes: hasChanges ? [] : nil)
        }

        mutating func changes(
            _ record: HistoryRecord, _ number: Int64
        ) throws(StoreError) -> [PersistentHistoryChange] {
            let era = eras.era(of: number)
            let model = era?.model ?? schema.model
            var next = record.firstChange
            var found: [PersistentHistoryChange] = []
            found.reserveCapacity(record.storedCount)
            for group in record.groups {
                let first = next
                next &+= Int64(group.keys.count)
                // An entity of an earlier model may not exist any more.
                guard let name = try text(group.entity), let entity = model.entity(named: name)
                else { continue }
                let handle = era?.handle(of: entity.id) ?? entity.handle
                var names = group.type == .update ? try names(group) : nil
                var values = group.values.isEmpty ? nil : tombstone(group.values)
                if let era {
                    names = names.map { era.names($0, of: entity.id) }
                    values = values.map { era.values($0, of: entity.id) }
                }
                for (place, key) in group.keys.enumerated() {
                    found.append(
                        PersistentHistoryChange(
                            changeID: first &+ Int64(place),
                            changedObjectID: ManagedObjectID(
                                store: schema.handle, entity: handle, key: key),
                            changeType: group.type, updatedProperties: names, tombstone: values,
                            transactionNumber: number))
                }
            }
            return found
        }

        private mutating func names(
            _ group: HistoryRecord.Group
        ) throws(StoreError) -> Set<String> {
            var list = lists[group.properties] ?? []
            if list.isEmpty {
                list = try (text(group.properties) ?? "").split(separator: "\n").map(String.init)
                lists[group.properties] = list
            }
            return Set(
                list.indices.lazy.filter { place in
                    place / 8 < group.columns.count
                        && group.columns[place / 8] & 1 << UInt8(place % 8) != 0
                }.map { list[$0] })
        }

        private func tombstone(_ bytes: [UInt8]) -> [String: StoredValue]? {
            StoredJSON.value(of: bytes)
        }
    }
}
