import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore

extension StoreWriter {
    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try check.check(changes)
        let largeValues = try LargeValues(
            of: changes, slots: core.schema.externalSlots,
            largerThan: core.settings.largestInlineValueBytes, in: core.schema.model)
        return try withWriter { (source, writer) throws(StoreError) in
            // The removal of unused files requires the same lock.
            try largeValues.write(
                to: core.external.folder, synchronizes: core.settings.synchronizesFiles)
            do throws(StoreError) {
                for clearsUnique in [false, true] {
                    try begin(source)
                    let completed = try complete(changes, from: source)
                    let changes = completed.changes
                    let order = ChangeOrder(changes, schema: core.schema)
                    let number = try writer.beginSave(changes)
                    try writer.history?.prepare(changes, source)
                    do throws(WriteStop) {
                        try writer.write(
                            changes, largeValues, order: order, number: number,
                            clearsUnique: clearsUnique)
                    } catch {
                        rollBack(source)
                        if case .failure(let error) = error { throw error }
                        // Only stored rows can exchange their values.
                        if case .uniqueness = error, !clearsUnique, !changes.updates.isEmpty {
                            continue
                        }
                        return try conflicted(changes, source)
                    }
                    try writer.history?.note(changes, order: order)
                    return try finish(completed, number, source, writer)
                }
                return try conflicted(changes, source)
            } catch {
                rollBack(source)
                throw error
            }
        }
    }

    /// Returns the change set with the resulting derived attributes, within its transaction.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - source: The connection.
    ///   - version: The number of the enclosing batch; nil for a save.
    func complete(
        _ changes: ChangeSet, from source: RowSource, withinBatchOf version: Int64? = nil
    ) throws(StoreError) -> CompletedChanges {
        guard let derived = core.derived else { return CompletedChanges(changes) }
        // An earlier part may have written the first digits of a decimal.
        source.transactionDidChange()
        return try derived.complete(
            changes, from: source, withinBatchOf: version.map { RowVersion(rawValue: $0) })
    }

    /// Handles what the engine does not check: decimals, metadata, cancellation. Then commits.
    private func finish(
        _ completed: CompletedChanges, _ number: Int64, _ source: RowSource, _ writer: ChangeWriter
    ) throws(StoreError) -> SaveOutcome {
        let changes = completed.changes
        if hasDecimalConstraints {
            let conflicts = try ConflictCollector(changes: changes, source: source)
                .decimalConflicts()
            if !conflicts.isEmpty {
                rollBack(source)
                return try conflicted(changes, source)
            }
        }
        if !changes.metadata.isEmpty {
            try MetadataTable(connection: source.connection).merge(changes.metadata)
        }
        try raiseLastKeys(changes.inserts, source.connection)
        try writer.history?.end()
        if let cancellation = changes.cancellation, cancellation.isCancelled {
            rollBack(source)
            throw Cancellation.error
        }
        try commit(source)
        return .saved(
            completed.receipt(
                StoreGeneration(rawValue: number), insertedVersion: RowVersion(rawValue: number),
                in: core.schema.model,
                updatedVersion: {
                    RowVersion(rawValue: max(number, $0.baseVersion.rawValue + 1))
                }))
    }

    private func conflicted(
        _ changes: ChangeSet, _ source: RowSource
    ) throws(StoreError) -> SaveOutcome {
        try begin(source)
        defer { rollBack(source) }
        return .conflicted(try ConflictCollector(changes: changes, source: source).conflicts())
    }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        try withWriter { (source, _) throws(StoreError) in
            try transaction(source) { () throws(StoreError) in
                try MetadataTable(connection: source.connection).replaceUserInfo(userInfo)
            }
        }
    }
}
