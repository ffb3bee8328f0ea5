import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// The reason why writing stopped.
enum WriteStop: Error {
    /// The version of a row is not the one that its change is based on.
    case version
    /// The engine found a unique value twice, at least temporarily.
    case uniqueness
    case failure(StoreError)
}

/// The statements that write change sets, and the steps of a save. Confined by the writer.
final class ChangeWriter {
    let source: RowSource
    let plans: [WritePlan]
    private(set) var binder: RowBinder
    let schema: AppleSchema
    private lazy var inserter = RowInserter(self)
    private var deletes: [Statement?]
    private var pairDeletes: [[Statement]?]
    private var checks: [Statement?]
    private var updates: [UpdateKey: UpdateStatement] = [:]
    private var lastUpdate: (key: UpdateKey, statement: UpdateStatement)?
    private let saveInsert: Statement
    private let saveTrim: Statement
    private let foreignCommits: Statement
    private var knownForeignCommits: Int64?
    private let schemaWatch: SchemaWatch
    /// Writes the history; nil when none was started.
    private(set) var history: HistoryWriter?

    /// The minimum number of saves that can be found by their identifiers.
    private static let rememberedSaves: Int64 = 1_024
    /// The number of saves that are forgotten at once.
    private static let trimmedSaves: Int64 = 64

    private struct UpdateKey: Hashable {
        var entity: Int
        var low: UInt64
        var rest: [Int]
    }

    private final class UpdateStatement {
        let statement: Statement
        let steps: ContiguousArray<BindStep>
        init(statement: Statement, steps: ContiguousArray<BindStep>) {
            self.statement = statement
            self.steps = steps
        }
    }

    init(source: RowSource) throws(StoreError) {
        self.source = source
        schema = source.core.schema
        let schema = schema
        binder = RowBinder(schema: schema)
        plans = schema.model.entities.map { WritePlan(schema: schema, entity: $0) }
        deletes = Array(repeating: nil, count: plans.count)
        pairDeletes = Array(repeating: nil, count: plans.count)
        checks = deletes
        saveInsert = try source.connection.prepare(
            "INSERT INTO DURAMEN_SAVE (ZIDENTIFIER) VALUES (?)")
        saveTrim = try source.connection.prepare("DELETE FROM DURAMEN_SAVE WHERE Z_PK <= ?")
        foreignCommits = try source.connection.prepare("PRAGMA data_version")
        schemaWatch = try SchemaWatch(source.connection, source.core)
    }

    var connection: Connection { source.connection }

    // MARK: - One save

    /// Records the save; the number is the generation that it creates.
    func beginSave(_ changes: ChangeSet) throws(StoreError) -> Int64 {
        try noticeHistory()
        try withUnsafeBytes(of: changes.identifier.uuid) { (identifier) throws(StoreError) in
            Statement.bindBytes(identifier, to: saveInsert.handle, at: 1)
            // Releases the binding to memory that becomes invalid.
            defer { sqlite3_bind_null(saveInsert.handle, 1) }
            try connection.run(saveInsert, "save to")
        }
        let number = sqlite3_last_insert_rowid(connection.handle)
        // The oldest saves are in separate pages, which are written once for many saves.
        if number > Self.rememberedSaves, number % Self.trimmedSaves == 0 {
            saveTrim.bind(number - Self.rememberedSaves, at: 1)
            try connection.run(saveTrim, "save to")
        }
        try history?.begin(changes, number: number)
        return number
    }

    /// Checks whether any process has started a history, or written to it.
    private func noticeHistory() throws(StoreError) {
        var commits: Int64 = 0
        _ = foreignCommits.step()
        commits = sqlite3_column_int64(foreignCommits.handle, 0)
        sqlite3_reset(foreignCommits.handle)
        if commits == knownForeignCommits { return }
        try schemaWatch.check()
        history = try HistoryWriter(connection, source.core)
        if history != nil { try HistoryTables.raiseSaves(connection, core: source.core) }
        knownForeignCommits = commits
    }

    /// Makes the next save search and read the history again.
    func forgetHistory() {
        knownForeignCommits = nil
        history = nil
    }

    /// Compares rows that are only checked, and writes deletions, updates and insertions, in this
    /// order, then pairs.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - largeValues: The large values of the change set, whose files are written.
    ///   - order: The order of the rows.
    ///   - number: The number of the save.
    ///   - clearsUnique: Whether changed unique values are set to null first, so that rows can
    ///     exchange them: the engine checks every statement separately.
    func write(
        _ changes: ChangeSet, _ largeValues: LargeValues, order: ChangeOrder, number: Int64,
        clearsUnique: Bool
    ) throws(WriteStop) {
        binder.largeValues = largeValues
        defer { binder.largeValues = nil }
        try stop { () throws(StoreError) in
            try ValueSizes(plans: plans, largeValues: largeValues, connection: connection)
                .check(changes)
        }
        let (inserts, updates, deletes) = (changes.inserts, changes.updates, changes.deletes)
        for check in changes.checks { try compare(check) }
        for place in order.deletes { try delete(deletes[place]) }
        if clearsUnique {
            for place in order.updates { try clearUnique(updates[place]) }
        }
        for place in order.updates { try update(updates[place], number) }
        if !inserts.isEmpty {
            try inserter.insert(inserts, order: order.inserts, version: number)
        }
        let edges = changes.edges
        if edges.isEmpty { return }
        let gone = Set(deletes.map(\.id))
        for change in edges { try writeEdges(change, gone) }
    }

    func failed(_ result: Int32) -> WriteStop {
        if SQLiteErrorMapping.isUniqueViolation(result) { return .uniqueness }
        return .failure(connection.error(result, "save to"))
    }

    func stop<R>(_ body: () throws(StoreError) -> R) throws(WriteStop) -> R {
        do throws(StoreError) { return try body() } catch { throw .failure(error) }
    }

    @inline(__always) private func run(_ statement: Statement) throws(WriteStop) {
        connection.begin(statement)
        let result = statement.step()
        if result == SQLITE_DONE {
            connection.end(statement)
            return
        }
        let stop = failed(result)
        connection.end(statement)
        throw stop
    }

    // MARK: - Rows

    private func update(_ change: RowUpdate, _ number: Int64) throws(WriteStop) {
        let row = change.row
        let plan = plans[row.entityID.index]
        let update = try updateStatement(plan, change.changedSlots)
        let statement = update.statement
        statement.bind(max(number, change.baseVersion.rawValue + 1), at: 1)
        var parameter: Int32 = 2
        let binder = binder
        for step in update.steps {
            binder.bind(row, step, to: statement, at: parameter)
            parameter += 1
        }
        statement.bind(row.key, at: parameter)
        statement.bind(change.baseVersion.rawValue, at: parameter + 1)
        try run(statement)
        if connection.changes == 0 { throw .version }
        if !plan.decimalSlots.isEmpty {
            let slots = plan.decimalSlots.filter { change.changedSlots.contains($0) }
            if !slots.isEmpty { try writeDigits(row, plan, slots, isNew: false) }
        }
    }

    private func updateStatement(
        _ plan: WritePlan, _ changed: SlotSet
    ) throws(WriteStop) -> UpdateStatement {
        let key = UpdateKey(
            entity: plan.entity.index, low: changed.low,
            rest: plan.columns.count > 64 ? changed.slots : [])
        if let lastUpdate, lastUpdate.key == key { return lastUpdate.statement }
        let found: UpdateStatement
        if let known = updates[key] {
            found = known
        } else {
            var all = changed
            for (slot, second) in plan.entitySlots where changed.contains(slot) {
                all.insert(second)
            }
            let slots = all.slots.filter { $0 < plan.columns.count }
            let statement = try stop { () throws(StoreError) in
                try connection.prepare(plan.updateSQL(slots))
            }
            found = UpdateStatement(
                statement: statement, steps: ContiguousArray(slots.map { plan.steps[$0] }))
            if updates.count >= 1_000 { updates.removeAll() }
            updates[key] = found
        }
        lastUpdate = (key, found)
        return found
    }

    /// Sets the changed unique values of a row to null, without a new version.
    private func clearUnique(_ change: RowUpdate) throws(WriteStop) {
        let plan = plans[change.row.entityID.index]
        let slots = plan.uniqueSlots.slots.filter { change.changedSlots.contains($0) }
        if slots.isEmpty { return }
        let names = slots.map { plan.columns[$0] + " = NULL" }.joined(separator: ", ")
        let key = StatementKey(purpose: .other, place: plan.table, clause: names)
        let statement = try stop { () throws(StoreError) in
            try connection.take(key) { () throws(StoreError) in
                "UPDATE \(plan.tableName) SET \(names) WHERE Z_PK = ?"
            }
        }
        defer { connection.giveBack(statement) }
        statement.bind(change.row.key, at: 1)
        connection.begin(statement)
        let result = statement.step()
        if result != SQLITE_DONE { throw failed(result) }
    }

    private func delete(_ deletion: RowDeletion) throws(WriteStop) {
        guard let entity = schema.model.entity(of: deletion.id) else { throw .version }
        let place = entity.id.index
        let plan = plans[place]
        let statement: Statement
        if let known = deletes[place] {
            statement = known
        } else {
            statement = try stop { () throws(StoreError) in
                try connection.prepare(plan.deleteSQL)
            }
            deletes[place] = statement
        }
        statement.bind(deletion.id.key, at: 1)
        statement.bind(deletion.baseVersion.rawValue, at: 2)
        try run(statement)
        if connection.changes == 0 { throw .version }
        for pairs in try pairDeletions(plan) {
            pairs.bind(deletion.id.key, at: 1)
            try run(pairs)
        }
        if !plan.decimalSlots.isEmpty {
            try runOther(
                "DELETE FROM DURAMEN_DECIMAL WHERE ZENT = ? AND ZROW = ?",
                [.integer(plan.rootNumber), .integer(deletion.id.key)])
        }
    }

    private func compare(_ check: RowCheck) throws(WriteStop) {
        guard let place = schema.model.entity(of: check.id)?.id.index else { throw .version }
        let statement: Statement
        if let known = checks[place] {
            statement = known
        } else {
            statement = try stop { () throws(StoreError) in
                try connection.prepare(plans[place].checkSQL)
            }
            checks[place] = statement
        }
        statement.bind(check.id.key, at: 1)
        statement.bind(check.baseVersion.rawValue, at: 2)
        connection.begin(statement)
        let result = statement.step()
        let stop = result == SQLITE_ROW ? nil : result == SQLITE_DONE ? .version : failed(result)
        connection.end(statement)
        if let stop { throw stop }
    }

    private func pairDeletions(_ plan: WritePlan) throws(WriteStop) -> [Statement] {
        if let known = pairDeletes[plan.entity.index] { return known }
        var made: [Statement] = []
        for sql in plan.pairDeletions {
            made.append(try stop { () throws(StoreError) in try connection.prepare(sql) })
        }
        pairDeletes[plan.entity.index] = made
        return made
    }

    // MARK: - Decimals and pairs

    func writeDigits(
        _ row: Row, _ plan: WritePlan, _ slots: [Int], isNew: Bool
    ) throws(WriteStop) {
        for slot in slots {
            let place: [SQLParameter] = [
                .integer(plan.rootNumber), .integer(row.key),
                .text(StoredText(plan.plainColumns[slot])),
            ]
            if !row.isNull(slot) {
                let digits = row.string(slot)
                let real = Double(digits) ?? 0
                if Int64(digits) == nil, DecimalDigits.shortest(of: real) != digits {
                    try runOther(
                        "INSERT OR REPLACE INTO DURAMEN_DECIMAL (ZENT, ZROW, ZCOLUMN, ZDIGITS) "
                            + "VALUES (?, ?, ?, ?)",
                        place + [.text(StoredText(digits))])
                    continue
                }
            }
            if !isNew {
                try runOther(
                    "DELETE FROM DURAMEN_DECIMAL WHERE ZENT = ? AND ZROW = ? AND ZCOLUMN = ?", place
                )
            }
        }
    }

    private func writeEdges(
        _ change: EdgeChange, _ gone: Set<ManagedObjectID>
    ) throws(WriteStop) {
        // The change set was checked, so the relationship is a many-to-many.
        guard let pairs = schema.pairs(of: change.relationship) else { return }
        var statements = PairStatements(pairs, on: connection)
        defer { statements.giveBack() }
        for edge in change.removed {
            let (source, destination) = (edge.source.key, edge.destination.key)
            try runPair { () throws(StoreError) in try statements.deletion(source, destination) }
            guard pairs.isReflexive else { continue }
            try runPair { () throws(StoreError) in try statements.deletion(destination, source) }
        }
        for edge in change.added
        where !gone.contains(edge.source) && !gone.contains(edge.destination) {
            let (source, destination) = (edge.source.key, edge.destination.key)
            let (order, inverse) = (edge.order, edge.inverseOrder)
            // If the relationship is its own inverse, each direction is a row with one number.
            try runPair { () throws(StoreError) in
                try statements.insertion(
                    source, destination, order: order,
                    inverseOrder: pairs.isReflexive ? nil : inverse)
            }
            guard pairs.isReflexive else { continue }
            try runPair { () throws(StoreError) in
                try statements.insertion(destination, source, order: inverse, inverseOrder: nil)
            }
        }
    }

    private func runPair(_ statement: () throws(StoreError) -> Statement) throws(WriteStop) {
        try run(try stop(statement))
    }

    private func runOther(_ sql: String, _ parameters: [SQLParameter]) throws(WriteStop) {
        let statement = try stop { () throws(StoreError) in
            try connection.take(StatementKey(purpose: .other, place: -1, clause: sql)) {
                () throws(StoreError) in sql
            }
        }
        defer { connection.giveBack(statement) }
        statement.bind(parameters)
        connection.begin(statement)
        let result = statement.step()
        if result != SQLITE_DONE { throw failed(result) }
    }
}
