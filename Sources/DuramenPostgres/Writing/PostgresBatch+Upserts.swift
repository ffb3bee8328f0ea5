import DuramenModel
import DuramenStore

// Rows whose unique values may be stored already, in two round trips and at most one COPY. As other
// parts are written, the server would refuse them all, return the stored rows and write them then.
extension PostgresBatch {
    func upsert(_ rows: RowList, taking slots: [SlotSet]?) throws(StoreError) -> [Int64]? {
        guard let entity = rows.first?.entityID else { return nil }
        let plan = core.writePlans[entity.index]
        // An object of another entity in the table may have the values of a common constraint.
        guard core.derived == nil, core.schema.tables[plan.table].entities.count == 1,
            let (constraint, number) = plan.constraints.first
        else { return nil }
        try core.check.check(ChangeSet(inserts: rows))
        try endCopying()
        let layout = core.model[entity].layout
        let digests = rows.map { Claims.digest(of: $0, constraint, layout) }
        let upsert = UpsertPlan(
            rows, taking: slots, digests: digests, stored: try stored(digests, number))
        let inserts = ChangeSet(inserts: RowList(upsert.inserted.lazy.map { rows[$0] }))
        let isCopied = RowCopy.fits(inserts) && !upsert.overwritesInserted

        var pipeline = ChangePipeline(core, stamp: stamp)
        try pipeline.write(inserts, insertsRows: !isCopied)
        writer.raiseKeys(inserts.inserts, in: &pipeline)
        for overwriting in upsert.overwritings {
            let sorted = overwriting.places.sorted { $0.key < $1.key }
            try pipeline.overwrite(
                sorted.map(\.key), with: RowList(sorted.lazy.map { rows[$0.value] }),
                overwriting.slots, plan)
        }
        try write(pipeline)
        if isCopied { try copy(inserts.inserts) }
        hasWritten = true

        try record(inserts)
        if keepsHistory {
            for (key, slots) in upsert.changed.sorted(by: { $0.key < $1.key }) {
                let id = ManagedObjectID(
                    store: core.schema.store, entity: core.model[entity].handle, key: key)
                try record(id, .update, slots)
            }
        }
        return upsert.keys
    }

    /// The keys of the rows that have unique values, by their digests.
    private func stored(
        _ digests: [[UInt8]?], _ number: Int32
    ) throws(StoreError) -> [[UInt8]: Int64] {
        var numbers = ArrayBuilder(.integer)
        var values = ArrayBuilder(.bytea)
        for case let digest? in Set(digests) {
            numbers.append(integer: number)
            digest.withUnsafeBytes { values.append(bytes: $0) }
        }
        if numbers.count == 0 { return [:] }
        let found = try RowReading(core, connection, RunLimits(cancellation: cancellation))
            .run(core.statements.claims.find, [numbers.finish(), values.finish()])
        var keys: [[UInt8]: Int64] = [:]
        for row in 0..<found.rowCount {
            if let key = found.int64(row, 0) { keys[Array(found.bytes(row, 3))] = key }
        }
        return keys
    }

    private func write(_ pipeline: ChangePipeline) throws(StoreError) {
        if pipeline.roles.isEmpty { return }
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            _ = try connection.run(pipeline.pipeline, RunLimits(cancellation: cancellation))
        } catch {
            if error.sqlState == "23505", pipeline.role(of: error) == .key {
                throw SaveAttempt.keyInUse
            }
            throw core.error(error, "write to")
        }
    }
}
