import DuramenModel
import DuramenStore

/// Writes the changes of saves into the history. Confined by the store's writer, which keeps it:
/// its knowledge of the table is valid as long as nobody else commits.
final class HistoryWriter {
    private let schema: StoreSchema
    private let clock: StoreClock
    private let properties: HistoryProperties
    /// The engine's number of the last checked state, and whether a history was started by then.
    private var seen: (state: Int, isBegun: Bool)?
    /// The numbers of texts, and the last number; empty until they are read.
    private var numbers: [String: UInt64]?
    private var lastText: UInt64 = 0
    /// By entity: the numbers of the texts with its name and with those of its properties.
    private var entities: [EntityID: (name: UInt64, properties: UInt64)] = [:]

    init(_ schema: StoreSchema, _ clock: StoreClock) {
        self.schema = schema
        self.clock = clock
        properties = schema.historyProperties
    }

    /// Returns the entries of one transaction; nil when no history was started.
    func begin(
        _ heading: ChangeSet, number: Int64, _ transaction: Transaction
    ) throws(StoreError) -> Entry? {
        guard let table = schema.tables.history else { return nil }
        let history = HistoryTable(transaction, table)
        // Every commit increments the number, whoever makes it.
        if let seen, seen.state == transaction.stateNumber - 1 {
            self.seen?.state = transaction.stateNumber
        } else {
            forget()
            seen = (transaction.stateNumber, try history.isBegun())
        }
        guard seen?.isBegun == true else { return nil }
        return Entry(
            self, history, number: number,
            head: HistoryRecord.Head(
                timestamp: clock.date(), author: try text(heading.author, history),
                bundleID: try text(HistoryOrigin.bundleID, history),
                contextName: try text(heading.contextName, history),
                processID: try text(HistoryOrigin.processID, history)),
            nextChange: try history.nextChange())
    }

    /// Discards knowledge that may not have been committed.
    func forget() {
        seen = nil
        numbers = nil
        entities = [:]
    }

    private func text(_ text: String?, _ history: HistoryTable) throws(StoreError) -> UInt64 {
        guard let text else { return 0 }
        if numbers == nil {
            let texts = try history.texts()
            lastText = texts.keys.max() ?? 0
            numbers = Dictionary(texts.map { ($1, $0) }) { first, _ in first }
        }
        if let known = numbers?[text] { return known }
        guard lastText < .max else { throw history.damaged }
        lastText += 1
        try history.add(text, number: lastText)
        numbers?[text] = lastText
        return lastText
    }

    private func entity(
        _ id: EntityID, _ history: HistoryTable
    ) throws(StoreError) -> (name: UInt64, properties: UInt64) {
        if let known = entities[id] { return known }
        let made = (
            try text(schema.model[id].name, history),
            try text(properties.names[id.index].joined(separator: "\n"), history)
        )
        entities[id] = made
        return made
    }

    /// The entries of one transaction, written part by part.
    final class Entry {
        private let writer: HistoryWriter
        private let history: HistoryTable
        private let number: Int64
        private let head: HistoryRecord.Head
        private var nextChange: Int64
        private var part: UInt32 = 0
        /// Tombstones of the part that is being written.
        private var tombstones = HistoryTombstones()

        fileprivate init(
            _ writer: HistoryWriter, _ history: HistoryTable, number: Int64,
            head: HistoryRecord.Head, nextChange: Int64
        ) {
            self.writer = writer
            self.history = history
            self.number = number
            self.head = head
            self.nextChange = nextChange
        }

        /// Reads the tombstones of deleted objects, before they are deleted.
        func prepare(_ changes: ChangeSet, _ rows: RowReading) throws(StoreError) {
            if changes.deletes.isEmpty { return }
            let schema = writer.schema
            let ids = HistoryEdits(changes, writer.properties, in: schema.model).leavingValues
            if ids.isEmpty { return }
            tombstones = HistoryTombstones(
                try rows.batch(of: ids), writer.properties, in: schema.model, store: schema.handle)
        }

        /// Writes the changes of a part.
        func note(_ changes: ChangeSet) throws(StoreError) {
            var groups: [HistoryRecord.Group] = []
            for row in changes.inserts {
                try add(row.key, .insert, row.entityID, nil, to: &groups)
            }
            let edits = HistoryEdits(changes, writer.properties, in: writer.schema.model)
            for update in edits.updates {
                try add(update.key, .update, update.entity, update.properties, to: &groups)
            }
            for deletion in changes.deletes {
                guard let entity = writer.schema.model.entity(of: deletion.id)?.id else { continue }
                guard let values = tombstones[deletion.id] else {
                    try add(deletion.id.key, .delete, entity, nil, to: &groups)
                    continue
                }
                groups.append(
                    HistoryRecord.Group(
                        type: .delete, entity: try writer.entity(entity, history).name,
                        values: try StoredJSON.bytes(
                            of: writer.properties.tombstone(values, of: entity)),
                        keys: [deletion.id.key]))
            }
            tombstones = HistoryTombstones()
            try write(groups)
        }

        private func add(
            _ key: Int64, _ type: PersistentHistoryChange.ChangeType, _ entity: EntityID,
            _ places: SlotSet?, to groups: inout [HistoryRecord.Group]
        ) throws(StoreError) {
            let (name, properties) = try writer.entity(entity, history)
            var group = HistoryRecord.Group(type: type, entity: name, keys: [])
            if let places {
                group.properties = properties
                group.columns = [UInt8](
                    repeating: 0, count: (places.slots.last ?? -1) / 8 + (places.isEmpty ? 0 : 1))
                for place in places.slots { group.columns[place / 8] |= 1 << UInt8(place % 8) }
            }
            if let last = groups.last, last.type == type, last.entity == name,
                last.columns == group.columns, last.values.isEmpty
            {
                groups[groups.count - 1].keys.append(key)
            } else {
                group.keys = [key]
                groups.append(group)
            }
        }

        private func write(_ groups: [HistoryRecord.Group]) throws(StoreError) {
            let record = HistoryRecord(
                head: part == 0 ? head : nil, firstChange: nextChange, groups: groups)
            try history.add(record, number: number, part: part)
            let (next, overflows) = nextChange.addingReportingOverflow(Int64(record.storedCount))
            if overflows { throw history.damaged }
            nextChange = next
            part += 1
        }

        /// Writes the transaction's head, unless a part did.
        func end() throws(StoreError) { if part == 0 { try write([]) } }
    }
}
