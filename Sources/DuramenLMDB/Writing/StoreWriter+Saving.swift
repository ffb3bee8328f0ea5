import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore

extension StoreWriter {
    static var cancelled: StoreError {
        StoreError(.cancelled, "The save was cancelled; nothing was written.")
    }

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try check.check(changes)
        schema.counters.noteStatement()
        let largeValues = try LargeValues(
            of: changes, slots: schema.externalSlots,
            largerThan: largestInlineValueBytes, in: schema.model)
        return try alone { () throws(StoreError) in
            // The removal of unused files requires the same lock.
            try largeValues.write(to: schema.values, synchronizes: synchronizesFiles)
            let saved = try transaction { (transaction) throws(StoreError) in
                try write(
                    complete(changes, in: transaction), largeValues, transaction)
            }
            if let saved {
                tidyUp()
                return .saved(saved)
            }
            let conflicts = try conflicts(changes)
            return .conflicted(conflicts)
        }
    }

    /// Returns the change set with the resulting derived attributes, within its transaction.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - transaction: The transaction.
    ///   - version: The number of the enclosing batch; nil for a save.
    func complete(
        _ changes: ChangeSet, in transaction: Transaction, withinBatchOf version: Int64? = nil
    ) throws(StoreError) -> CompletedChanges {
        guard let derived = schema.derived else { return CompletedChanges(changes) }
        return try derived.complete(
            changes,
            from: StateBefore(
                RowReading(schema: schema, transaction: transaction),
                try numbers(transaction).all),
            withinBatchOf: version.map { RowVersion(rawValue: $0) })
    }

    /// Writes everything without committing; returns nil when there are conflicts.
    private func write(
        _ completed: CompletedChanges, _ largeValues: LargeValues, _ transaction: Transaction
    ) throws(StoreError) -> SaveReceipt? {
        let changes = completed.changes
        let meta = MetaTable(transaction: transaction, table: schema.tables.meta)
        let log = SaveLog(schema, transaction)
        let number = try log.lastNumber() + 1
        let version = RowVersion(rawValue: number)
        var writer = ChangeWriter(
            schema: schema, transaction: transaction, numbers: try numbers(transaction),
            version: version, largeValues: largeValues)
        let entry = try history.begin(changes, number: number, transaction)
        try entry?.prepare(changes, RowReading(schema: schema, transaction: transaction))
        do throws(ChangeWriter.Stop) {
            try writer.write(changes)
        } catch {
            switch error {
            case .conflict: return nil
            case .failure(let error): throw error
            }
        }
        if !changes.metadata.isEmpty { try meta.merge(changes.metadata) }
        try raiseNextKeys(writer.highestKeys, meta)
        try entry?.note(changes)
        try log.add(changes.identifier, number: number)
        if let cancellation = changes.cancellation, cancellation.isCancelled {
            throw Self.cancelled
        }
        return completed.receipt(
            StoreGeneration(rawValue: number), insertedVersion: version, in: schema.model,
            updatedVersion: { _ in version })
    }

    private func conflicts(_ changes: ChangeSet) throws(StoreError) -> [StoreConflict] {
        var found: [StoreConflict] = []
        // A write transaction, which is discarded, reads a state that nobody changes meanwhile.
        _ = try transaction { (transaction) throws(StoreError) -> Void? in
            let changes = try complete(changes, in: transaction).changes
            let rows = RowReading(schema: schema, transaction: transaction)
            let numbers = try numbers(transaction)
            let holders = UniqueHolders(rows: rows, numbers: numbers.all)
            found = try ConflictSearch(
                changes, model: schema.model, store: schema.handle, unenforced: numbers.unenforced
            ).conflicts(
                rows: { (ids) throws(StoreError) in try rows.batch(of: ids) },
                holders: { (row, constraint) throws(StoreError) in
                    try holders.rows(like: row, constraint)
                })
            return nil
        }
        return found
    }
}
