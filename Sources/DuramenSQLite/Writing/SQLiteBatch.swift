import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// The transaction of a batch, on the connection that writes.
final class SQLiteBatch: BatchTransaction {
    let base: any StoreSnapshot
    private let writer: StoreWriter
    private let source: RowSource
    private let changes: ChangeWriter
    /// The number of the state that the batch creates.
    private let number: Int64
    private(set) var hasWritten = false
    private var upserts: [UpsertKey: UpsertStatements] = [:]

    private struct UpsertKey: Hashable {
        let entity: EntityID
        let slots: SlotSet?
    }

    init(
        base: any StoreSnapshot, writer: StoreWriter, source: RowSource, changes: ChangeWriter,
        number: Int64
    ) {
        self.base = base
        self.writer = writer
        self.source = source
        self.changes = changes
        self.number = number
    }

    private var core: StoreCore { writer.core }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try writer.allocateKeys(count, for: entity, within: source.connection)
    }

    func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict] {
        try writer.check.check(part)
        let part = try writer.complete(part, from: source, withinBatchOf: number).changes
        let order = ChangeOrder(part, schema: core.schema)
        let largeValues = try LargeValues(
            of: part, slots: core.schema.externalSlots,
            largerThan: core.settings.largestInlineValueBytes, in: core.schema.model)
        try largeValues.write(
            to: core.external.folder, synchronizes: core.settings.synchronizesFiles)
        try changes.history?.prepare(part, source)
        hasWritten = true
        // Without unique values there are no resolvable conflicts, and the engine need not copy
        // pages.
        guard part.writesUniqueValues(in: core.schema.model) else {
            try writeOnce(part, largeValues, order)
            return []
        }
        // Only stored rows can exchange their values.
        for clearsUnique in part.updates.isEmpty ? [false] : [false, true] {
            try source.connection.execute("SAVEPOINT part")
            do throws(WriteStop) {
                try changes.write(
                    part, largeValues, order: order, number: number, clearsUnique: clearsUnique)
                let conflicts = try changes.stop { () throws(StoreError) in
                    writer.hasDecimalConstraints
                        ? try collector(part).decimalConflicts() : []
                }
                if conflicts.isEmpty {
                    try changes.stop { () throws(StoreError) in
                        try end(part, order)
                        try source.connection.execute("RELEASE part")
                    }
                    return []
                }
            } catch {
                if case .failure(let error) = error { throw error }
            }
            try source.connection.execute("ROLLBACK TO part")
            try source.connection.execute("RELEASE part")
        }
        return try collector(part).conflicts().ofPart()
    }

    private func writeOnce(
        _ part: ChangeSet, _ largeValues: LargeValues, _ order: ChangeOrder
    ) throws(StoreError) {
        do throws(WriteStop) {
            try changes.write(
                part, largeValues, order: order, number: number, clearsUnique: false)
        } catch {
            if case .failure(let error) = error { throw error }
            _ = try collector(part).conflicts().ofPart()
            throw StoreError(.io, "A part of a batch could not be written to '\(core.path)'.")
        }
        try end(part, order)
    }

    private func end(_ part: ChangeSet, _ order: ChangeOrder) throws(StoreError) {
        try changes.history?.note(part, order: order)
        try writer.raiseLastKeys(part.inserts, source.connection)
    }

    // MARK: - At once

    func upsert(_ rows: RowList, taking slots: [SlotSet]?) throws(StoreError) -> [Int64]? {
        guard let entity = rows.first?.entityID, UpsertStatements.areSupported else { return nil }
        let plan = changes.plans[entity.index]
        // An index for some of a table's entities cannot be the target of an upsert. A history
        // needs the changed rows. Digits of decimals and values in files are stored elsewhere.
        let isAlone = core.schema.tables[plan.table].entities.count == 1
        guard isAlone, changes.history == nil, core.derived == nil, plan.decimalSlots.isEmpty,
            plan.steps.allSatisfy({ !$0.isExternal }),
            let constraint = core.schema.model[entity].uniquenessConstraints.first,
            // Core Data's files may lack the index.
            (try? upsertStatements(plan, constraint, slots?.first)) != nil
        else { return nil }
        let part = ChangeSet(inserts: rows)
        try writer.check.check(part)
        try ValueSizes(plans: changes.plans, largeValues: nil, connection: source.connection)
            .check(part)
        hasWritten = true
        var keys: [Int64] = []
        var start = 0
        while start < rows.count {
            var end = start + 1
            while end < rows.count, slots?[end] == slots?[start] { end += 1 }
            keys += try upsertStatements(plan, constraint, slots?[start])
                .write(rows, ArraySlice(start..<end), version: number)
            start = end
        }
        try writer.raiseLastKeys(rows, source.connection)
        return keys
    }

    private func upsertStatements(
        _ plan: WritePlan, _ constraint: UniquenessConstraint, _ slots: SlotSet?
    ) throws(StoreError) -> UpsertStatements {
        let key = UpsertKey(entity: plan.entity, slots: slots)
        if let known = upserts[key] { return known }
        // Rows can have any sets of slots.
        if upserts.count == 256 { upserts.removeAll() }
        let made = try UpsertStatements(plan, constraint, taking: slots, changes)
        upserts[key] = made
        return made
    }

    func update(
        _ query: StoreQuery, _ slots: SlotSet, to values: Row
    ) throws(StoreError) -> Int? {
        let entity = core.schema.model[query.entity]
        let plan = changes.plans[entity.id.index]
        let places = slots.slots
        // Digits of decimals and values in files are stored elsewhere.
        guard places.allSatisfy({ !plan.decimalSlots.contains($0) && !plan.steps[$0].isExternal })
        else { return nil }
        guard let filter = try filter(query) else { return nil }
        try ValueSizes(plans: changes.plans, largeValues: nil, connection: source.connection)
            .check(ChangeSet(inserts: [values]))
        try changes.history?.note(
            rowsOf: plan.tableName, filter, members(of: query, entity), changedSlots: slots)
        // The parameters of the condition come first.
        let first = filter.parameters.count + 1
        let assignments = places.enumerated().map { place, slot in
            ", \(plan.columns[slot]) = ?\(first + 1 + place)"
        }
        let statement = try source.connection.prepare(
            "UPDATE \(plan.tableName) AS t0 SET Z_OPT = max(?\(first), ifnull(t0.Z_OPT, 0) + 1)"
                + assignments.joined() + filter.text)
        statement.bind(filter.parameters)
        statement.bind(number, at: Int32(first))
        let binder = changes.binder
        for (place, slot) in places.enumerated() {
            binder.bind(values, plan.steps[slot], to: statement, at: Int32(first + 1 + place))
        }
        return try run(statement)
    }

    func delete(_ query: StoreQuery) throws(StoreError) -> Int? {
        let entity = core.schema.model[query.entity]
        let members = members(of: query, entity)
        let history = changes.history
        let isAlone = members.allSatisfy { member in
            let plan = changes.plans[member.index]
            return plan.pairDeletions.isEmpty && plan.decimalSlots.isEmpty
                && history?.properties.leavesValues(member) != true
        }
        guard isAlone, let filter = try filter(query) else { return nil }
        let table = changes.plans[entity.id.index].tableName
        try history?.note(rowsOf: table, filter, members, changedSlots: nil)
        // Without a condition the engine tells no hook of the rows.
        let isWhole = filter.text.isEmpty && core.checksums != nil
        let statement = try source.connection.prepare(
            "DELETE FROM \(table) AS t0\(isWhole ? " WHERE true" : filter.text)")
        statement.bind(filter.parameters)
        return try run(statement)
    }

    private func members(of query: StoreQuery, _ entity: Entity) -> [EntityID] {
        query.includesSubentities ? entity.family : [entity.id]
    }

    /// The condition of a query; nil when it needs more than the table of the rows.
    private func filter(
        _ query: StoreQuery
    ) throws(StoreError) -> (text: String, parameters: [SQLParameter])? {
        try QueryCompiler(core).filter(query).map { ($0.text, $0.compiler.parameters) }
    }

    private func run(_ statement: Statement) throws(StoreError) -> Int {
        hasWritten = true
        try source.connection.run(statement, "write to")
        return source.connection.changes
    }

    private func collector(_ part: ChangeSet) -> ConflictCollector {
        ConflictCollector(changes: part, source: source)
    }
}

extension StoreWriter {
    /// Writes a batch, whole or not at all.
    ///
    /// - Parameters:
    ///   - heading: The identifier, author and other names of the batch.
    ///   - snapshot: Returns a snapshot of the newest state.
    ///   - body: Writes the parts.
    func writeBatch(
        _ heading: ChangeSet, _ snapshot: () throws(StoreError) -> SQLiteSnapshot,
        _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        try withWriter { (source, writer) throws(StoreError) -> StoreGeneration? in
            let base = try snapshot()
            do throws(StoreError) {
                try begin(source)
                let number = try writer.beginSave(heading)
                let batch = SQLiteBatch(
                    base: base, writer: self, source: source, changes: writer, number: number)
                try body(batch)
                if !heading.metadata.isEmpty {
                    try MetadataTable(connection: source.connection).merge(heading.metadata)
                }
                if let cancellation = heading.cancellation, cancellation.isCancelled {
                    throw Cancellation.error
                }
                guard batch.hasWritten || !heading.metadata.isEmpty else {
                    rollBack(source)
                    return nil
                }
                try writer.history?.end()
                try commit(source)
                return StoreGeneration(rawValue: number)
            } catch {
                rollBack(source)
                throw error
            }
        }
    }
}
