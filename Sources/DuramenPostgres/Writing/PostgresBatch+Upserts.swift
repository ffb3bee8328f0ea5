import DuramenModel
import DuramenStore

// Rows whose unique values may be stored already, in two round trips and at most one COPY. If they
// are written row by row, the server first refuses the part, then returns the stored rows, and then
// gets the part again.
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
        let claims = Set(digests.lazy.compactMap { $0 }.map { Claim(number: number, digest: $0) })
        let holders = try RowReading(core, connection, RunLimits(cancellation: cancellation))
            .holders(of: claims)
        let upsert = UpsertPlan(
            rows, taking: slots, digests: digests,
            stored: Dictionary(holders.map { ($0.claim.digest, $0.id.key) }) { first, _ in first },
            layout: layout)
        let inserts = ChangeSet(inserts: RowList(upsert.inserts))
        let updates = upsert.updates.sorted { $0.key < $1.key }
        let isCopied = RowCopy.fits(inserts)

        var pipeline = ChangePipeline(core, stamp: stamp)
        try pipeline.write(inserts, insertsRows: !isCopied)
        writer.raiseKeys(inserts.inserts, in: &pipeline)
        let firstUpdate = pipeline.roles.count
        for (slots, group) in Dictionary(grouping: updates, by: \.value.slots) {
            try pipeline.overwrite(
                group.map(\.key), with: RowList(group.map(\.value.values)), slots, plan)
        }
        let results = try send(pipeline)
        guard results.dropFirst(firstUpdate).reduce(0, { $0 + $1.affectedRows }) == updates.count
        else {
            throw StoreError(
                .damagedFile,
                "A unique value in '\(core.place)' belongs to an object that does not exist. "
                    + "Verify the store, and restore a copy.")
        }
        if isCopied { try copy(inserts.inserts) }
        hasWritten = true

        try record(inserts)
        for (key, update) in updates {
            try record(
                ManagedObjectID(
                    store: core.schema.store, entity: core.model[entity].handle, key: key),
                .update, update.slots)
        }
        return upsert.keys
    }

    private func send(_ pipeline: ChangePipeline) throws(StoreError) -> [ResultSet] {
        if pipeline.roles.isEmpty { return [] }
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            return try connection.run(pipeline.pipeline, RunLimits(cancellation: cancellation))
        } catch {
            if error.sqlState == "23505", pipeline.role(of: error) == .key {
                throw SaveAttempt.keyInUse
            }
            throw core.error(error, "write to")
        }
    }
}
