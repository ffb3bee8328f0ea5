import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// Writes the changes of a save into the history, within the save's transaction. Confined by the
/// writer.
///
/// ```
///   begin ──► note (each part) ──► end ──► commit, or forget
/// ```
final class HistoryWriter {
    let properties: HistoryProperties
    private let connection: Connection
    private let schema: AppleSchema
    private let tables: HistoryTables
    private let clock: StoreClock
    private let transactionInsert: Statement
    private let single: Statement
    private let many: Statement
    private let lastChange: Statement
    /// The keys of names that were already written.
    private var strings: [String: Int64] = [:]
    /// The last keys that the file's list of entities records as allocated.
    private var maximum: (transaction: Int64, change: Int64)?
    private var number: Int64 = 0
    /// A change that prevents the numbers from starting again after all changes were deleted; 0 for
    /// none.
    private var placeholder: Int64 = 0
    /// Tombstones of the part that is being written.
    private var tombstones = HistoryTombstones()

    private static let rowsPerStatement = 32
    /// The number of keys that are recorded as allocated at once.
    private static let keysPerLease: Int64 = 1_024

    /// - Throws: An error if the file cannot be read. The caller has a write transaction.
    init?(_ connection: Connection, _ core: StoreCore) throws(StoreError) {
        guard var tables = try HistoryTables(connection) else { return nil }
        self.connection = connection
        schema = core.schema
        clock = core.settings.clock
        properties = core.historyProperties
        let wanted = properties.preserved.map(\.count).max() ?? 0
        if wanted > tables.tombstones.count {
            for place in tables.tombstones.count..<wanted {
                try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(place)")
            }
            if let wider = try HistoryTables(connection) { tables = wider }
        }
        self.tables = tables
        let ending = tables.hasStrings ? "TS" : ""
        transactionInsert = try connection.prepare(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHOR\(ending), ZBUNDLEID\(ending), "
                + "ZCONTEXTNAME\(ending), ZPROCESSID\(ending)) "
                + "VALUES (?, \(HistoryTables.transaction), ?, ?, ?, ?, ?)")
        single = try connection.prepare(Self.insertion(rows: 1))
        many = try connection.prepare(Self.insertion(rows: Self.rowsPerStatement))
        lastChange = try connection.prepare("SELECT MAX(Z_PK) FROM ACHANGE")
    }

    /// Rows with equal transaction, type, entity and columns, followed by their keys.
    private static func insertion(rows: Int) -> String {
        let values = (0..<rows).map { "(\(HistoryTables.change), ?2, ?3, ?\($0 + 5), ?1, ?4)" }
        return
            "INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
            + "VALUES " + values.joined(separator: ", ")
    }

    // MARK: - A transaction

    /// Starts the transaction's entry.
    func begin(_ changes: ChangeSet, number: Int64) throws(StoreError) {
        self.number = number
        transactionInsert.bind(number, at: 1)
        transactionInsert.bind(
            .double(clock.date().timeIntervalSinceReferenceDate), at: 2)
        let names = [
            changes.author, HistoryOrigin.bundleID, changes.contextName, HistoryOrigin.processID,
        ]
        for (place, name) in names.enumerated() {
            transactionInsert.bind(try parameter(of: name), at: Int32(place + 3))
        }
        try connection.run(transactionInsert, "save to")
        if maximum == nil { try readMaximum() }
    }

    private func parameter(of name: String?) throws(StoreError) -> SQLParameter {
        guard let name else { return .null }
        let text = SQLParameter.text(StoredText(name))
        if !tables.hasStrings { return text }
        if let known = strings[name] { return .integer(known) }
        var key = try key(of: text)
        if key == nil { key = try insert(text) }
        strings[name] = key
        return key.map { .integer($0) } ?? .null
    }

    private func key(of text: SQLParameter) throws(StoreError) -> Int64? {
        try connection.integer("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", text)
    }

    private func insert(_ text: SQLParameter) throws(StoreError) -> Int64 {
        let insertion = try connection.prepare(
            "INSERT INTO ATRANSACTIONSTRING (Z_ENT, ZNAME) VALUES (\(HistoryTables.string), ?)")
        insertion.bind(text, at: 1)
        try connection.run(insertion, "save to")
        let key = try key(of: text) ?? 0
        try connection.execute(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = max(ifnull(Z_MAX, 0), \(key)) "
                + "WHERE Z_ENT = \(HistoryTables.string)")
        return key
    }

    private func readMaximum() throws(StoreError) {
        func maximum(_ entity: Int) throws(StoreError) -> Int64 {
            try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)") ?? 0
        }
        let change = try maximum(HistoryTables.change)
        self.maximum = (try maximum(HistoryTables.transaction), change)
        if change > 0, try connection.integer("SELECT 1 FROM ACHANGE LIMIT 1") == nil {
            placeholder = change
            try connection.execute(
                "INSERT INTO ACHANGE (Z_PK, ZTRANSACTIONID) VALUES (\(change), \(number))")
        }
    }

    /// Reads the tombstones of deleted objects, before they are deleted.
    func prepare(_ changes: ChangeSet, _ source: RowSource) throws(StoreError) {
        if changes.deletes.isEmpty { return }
        let ids = HistoryEdits(changes, properties, in: schema.model).leavingValues
        if ids.isEmpty { return }
        tombstones = HistoryTombstones(
            try RowRequest(ids: ids, core: source.core).rows(from: source), properties,
            in: schema.model, store: schema.store)
    }

    /// Writes the changes of a part.
    func note(_ changes: ChangeSet, order: ChangeOrder) throws(StoreError) {
        let rows = changes.inserts
        try write(.insert, count: order.inserts.count) { place in
            let row = rows[order.inserts[place]]
            return (Int64(schema.numbers[row.entityID.index]), row.key, nil)
        }
        let edits = HistoryEdits(changes, properties, in: schema.model)
        let updates = edits.updates
        var columns: [EntityID: [SlotSet: [UInt8]]] = [:]
        try write(.update, count: updates.count) { place in
            let update = updates[place]
            let known = columns[update.entity]?[update.properties]
            let bytes = known ?? bytes(of: update.properties, update.entity)
            if known == nil { columns[update.entity, default: [:]][update.properties] = bytes }
            return (Int64(schema.numbers[update.entity.index]), update.key, bytes)
        }
        let deletes = changes.deletes.compactMap { deletion in
            schema.model.entity(of: deletion.id).map {
                (id: deletion.id, entity: Int64(schema.numbers[$0.id.index]))
            }
        }
        let plain = deletes.filter { tombstones[$0.id] == nil }
        try write(.delete, count: plain.count) { (plain[$0].entity, plain[$0].id.key, nil) }
        for (id, entity) in deletes {
            if let values = tombstones[id] { try write(values, of: id.key, entity) }
        }
        tombstones = HistoryTombstones()
    }

    private func bytes(of places: SlotSet, _ entity: EntityID) -> [UInt8] {
        ChangedColumns.bytes(places.slots, of: properties.names[entity.index].count)
    }

    /// Writes changes of one type, with one statement for equal entities and columns.
    private func write(
        _ type: PersistentHistoryChange.ChangeType, count: Int,
        _ change: (Int) -> (entity: Int64, key: Int64, columns: [UInt8]?)
    ) throws(StoreError) {
        var start = 0
        while start < count {
            let first = change(start)
            var keys = [first.key]
            while start + keys.count < count {
                let next = change(start + keys.count)
                guard next.entity == first.entity, next.columns == first.columns else { break }
                keys.append(next.key)
            }
            start += keys.count
            try write(keys, type, first.entity, first.columns)
        }
    }

    private func write(
        _ keys: [Int64], _ type: PersistentHistoryChange.ChangeType, _ entity: Int64,
        _ columns: [UInt8]?
    ) throws(StoreError) {
        var rest = keys[...]
        for (statement, size) in [(many, Self.rowsPerStatement), (single, 1)] {
            guard rest.count >= size else { continue }
            statement.bind(number, at: 1)
            statement.bind(Int64(type.rawValue), at: 2)
            statement.bind(entity, at: 3)
            statement.bind(columns.map { .bytes($0) } ?? .null, at: 4)
            while rest.count >= size {
                for (place, key) in rest.prefix(size).enumerated() {
                    statement.bind(key, at: Int32(place + 5))
                }
                try connection.run(statement, "save to")
                rest = rest.dropFirst(size)
            }
        }
    }

    /// Writes a deletion with tombstone values.
    private func write(
        _ values: [StoredValue], of key: Int64, _ entity: Int64
    ) throws(StoreError) {
        let columns = tables.tombstones.prefix(values.count)
        let statement = try connection.prepare(
            "INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, "
                + columns.joined(separator: ", ") + ") VALUES (\(HistoryTables.change), 2, ?, ?, ?"
                + columns.map { _ in ", ?" }.joined() + ")")
        let known: [SQLParameter] = [.integer(entity), .integer(key), .integer(number)]
        statement.bind(known + values.map(TombstoneValue.parameter))
        try connection.run(statement, "save to")
    }

    /// Writes changes of all rows that match a condition, before they are changed.
    ///
    /// - Parameters:
    ///   - table: The table of the rows.
    ///   - filter: The condition and its parameters.
    ///   - entities: The entities of the rows.
    ///   - changedSlots: The slots that change; nil for a deletion.
    func note(
        rowsOf table: String, _ filter: (text: String, parameters: [SQLParameter]),
        _ entities: [EntityID], changedSlots: SlotSet?
    ) throws(StoreError) {
        let type: PersistentHistoryChange.ChangeType = changedSlots == nil ? .delete : .update
        var columns = "NULL"
        if let changedSlots {
            let cases = entities.map { entity in
                let bytes = bytes(of: properties.places(of: changedSlots, in: entity), entity)
                let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                return " WHEN \(schema.numbers[entity.index]) THEN x'\(digits.joined())'"
            }
            columns = "CASE t0.Z_ENT\(cases.joined()) END"
        }
        let statement = try connection.prepare(
            "INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
                + "SELECT \(HistoryTables.change), \(type.rawValue), t0.Z_ENT, t0.Z_PK, \(number), \(columns) "
                + "FROM \(table) AS t0\(filter.text)")
        statement.bind(filter.parameters)
        try connection.run(statement, "write to")
    }

    /// Ends the transaction's entries, and records the used keys in the list of entities.
    func end() throws(StoreError) {
        if placeholder > 0 {
            try connection.execute("DELETE FROM ACHANGE WHERE Z_PK = \(placeholder)")
            placeholder = 0
        }
        var change: Int64 = 0
        try connection.forEachRow(of: lastChange) { change = $0.integer(0) }
        var known = maximum ?? (0, 0)
        if number > known.transaction {
            known.transaction = Self.lease(number)
            try raise(HistoryTables.transaction, known.transaction)
        }
        if change > known.change {
            known.change = Self.lease(change)
            try raise(HistoryTables.change, known.change)
        }
        maximum = known
    }

    private static func lease(_ key: Int64) -> Int64 {
        key > .max - keysPerLease ? .max : key + keysPerLease
    }

    private func raise(_ entity: Int, _ key: Int64) throws(StoreError) {
        try connection.execute(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_ENT = \(entity) "
                + "AND ifnull(Z_MAX, 0) < \(key)")
    }
}
