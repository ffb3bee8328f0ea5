import DuramenModel
public import DuramenQuery

/// Changes all rows that match a query, in one transaction.
public struct BatchUpdate {
    private let query: StoreQuery
    private let assignments: [(name: String, value: FetchExpression)]
    private let settings: BatchSettings

    /// Describes a batch that updates rows.
    ///
    /// - Parameters:
    ///   - query: The entity and the condition; order and window are ignored.
    ///   - assignments: Names of attributes and to-one relationships, or paths of elements of
    ///     composites, each with its new value. All expressions see the previous row.
    ///   - settings: The settings of the batch.
    public init(
        _ query: StoreQuery, setting assignments: [(name: String, value: FetchExpression)],
        _ settings: BatchSettings
    ) {
        var query = query
        query.sortDescriptors = []
        query.offset = 0
        query.limit = nil
        query.cancellation = settings.cancellation
        self.query = query
        self.assignments = assignments
        self.settings = settings
    }

    /// Changes the rows.
    ///
    /// - Throws: `.invalidRequest` for a property that the model does not have, or when a value
    ///   does not fit its property; `.uniquenessViolated`; `.unsupported`; `.cancelled`; the
    ///   store's errors. After any error nothing was written.
    /// - Complexity: Needs the memory of a part. Changes of unique values are kept until the end,
    ///   because they are checked together.
    public func run(on store: any PersistentStore) throws(StoreError) -> BatchOutcome {
        let batching = try store.batchWriting()
        try query.check(in: store.model)
        let bound = try BoundAssignments(assignments, of: query.entity, in: store.model)
        var record = BatchRecord(of: store, keepsObjectIDs: settings.keepsObjectIDs)
        let generation = try batching.writeBatch(settings.heading) {
            transaction throws(StoreError) in
            let source = SnapshotSource(store, transaction.base)
            let execution = try QueryExecution(query, on: store, in: transaction.base)
            let isAlone = !store.model.derives(from: store.model[query.entity])
            if !bound.areUnique, isAlone, let all = try bound.common(in: source) {
                let count = try execution.writtenAtOnce(settings) { query throws(StoreError) in
                    try transaction.update(query, all.slots, to: all.values)
                }
                if let count {
                    record.noteResults(count)
                    return try settings.note(count)
                }
            }
            var part: [RowUpdate] = []
            try execution.forEachMatch(in: source) { row throws(StoreError) in
                let id = source.id(of: row)
                record.noteResult(id)
                guard let update = try bound.update(of: row, id, in: source) else { return true }
                record.noteUpdate(of: row)
                part.append(update)
                if !bound.areUnique, part.count == BatchSettings.rowsPerPart {
                    try write(part, to: transaction, store.model)
                    part = []
                    try settings.note(record.outcome.count)
                }
                return true
            }
            try write(part, to: transaction, store.model)
            try settings.note(record.outcome.count)
        }
        record.end(generation)
        return record.outcome
    }

    private func write(
        _ part: [RowUpdate], to transaction: any BatchTransaction, _ model: ManagedObjectModel
    ) throws(StoreError) {
        if part.isEmpty { return }
        if let conflict = try transaction.write(ChangeSet(updates: part)).first {
            throw model.uniquenessViolated(conflict)
        }
    }
}
