import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore

/// The transaction of a batch.
final class LMDBBatch: BatchTransaction {
    let base: any StoreSnapshot
    private let writer: StoreWriter
    private let transaction: Transaction
    /// The number of the state that the batch creates.
    private let number: Int64
    /// The transaction for the history; nil when none was started.
    private let history: HistoryWriter.Entry?
    private(set) var hasWritten = false

    init(
        base: any StoreSnapshot, writer: StoreWriter, transaction: Transaction, number: Int64,
        history: HistoryWriter.Entry?
    ) {
        self.history = history
        self.base = base
        self.writer = writer
        self.transaction = transaction
        self.number = number
    }

    private var schema: StoreSchema { writer.schema }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try writer.allocateKeys(count, for: entity, within: transaction)
    }

    func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict] {
        try writer.check.check(part)
        let part = try writer.complete(part, in: transaction, withinBatchOf: number).changes
        schema.counters.noteStatement()
        let numbers = try writer.numbers(transaction)
        // The engine cannot undo a part of a transaction, so conflicts are searched before.
        let conflicts = try uniquenessConflicts(part, numbers)
        if !conflicts.isEmpty { return conflicts }
        let largeValues = try LargeValues(
            of: part, slots: schema.externalSlots,
            largerThan: writer.largestInlineValueBytes, in: schema.model)
        try largeValues.write(to: schema.values, synchronizes: writer.synchronizesFiles)
        try history?.prepare(part, RowReading(schema: schema, transaction: transaction))
        hasWritten = true
        var changes = ChangeWriter(
            schema: schema, transaction: transaction, numbers: numbers,
            version: RowVersion(rawValue: number), largeValues: largeValues)
        do throws(ChangeWriter.Stop) {
            try changes.write(part)
        } catch {
            switch error {
            case .failure(let error): throw error
            case .conflict: throw try outdated(part)
            }
        }
        try history?.note(part)
        try writer.raiseNextKeys(
            changes.highestKeys, MetaTable(transaction: transaction, table: schema.tables.meta))
        return []
    }

    private func uniquenessConflicts(
        _ part: ChangeSet, _ numbers: StoreWriter.IndexNumbers
    ) throws(StoreError) -> [UniquenessConflict] {
        if !part.writesUniqueValues(in: schema.model) { return [] }
        let holders = UniqueHolders(
            rows: RowReading(schema: schema, transaction: transaction), numbers: numbers.all)
        return try ConflictSearch(
            part, model: schema.model, store: schema.handle, unenforced: numbers.unenforced
        ).uniquenessConflicts(holders: { (row, constraint) throws(StoreError) in
            try holders.rows(like: row, constraint)
        }).ofPart()
    }

    private func outdated(_ part: ChangeSet) throws(StoreError) -> StoreError {
        let rows = RowReading(schema: schema, transaction: transaction)
        let found = try ConflictSearch(part, model: schema.model, store: schema.handle)
            .conflicts(
                rows: { (ids) throws(StoreError) in try rows.batch(of: ids) },
                holders: { (_, _) throws(StoreError) in [] })
        _ = try found.ofPart()
        return StoreError(.io, "A part of a batch could not be written to '\(schema.path)'.")
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
        _ heading: ChangeSet, _ snapshot: () throws(StoreError) -> LMDBSnapshot,
        _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        try alone { () throws(StoreError) -> StoreGeneration? in
            var isAgain = false
            let generation = try transaction {
                (transaction) throws(StoreError) -> StoreGeneration? in
                if isAgain {
                    throw StoreError(
                        .storeBusy,
                        "'\(schema.path)' had to make room for the batch, and nothing was written; run it again."
                    )
                }
                isAgain = true
                let meta = MetaTable(transaction: transaction, table: schema.tables.meta)
                let log = SaveLog(schema, transaction)
                let number = try log.lastNumber() + 1
                let entry = try history.begin(heading, number: number, transaction)
                let batch = LMDBBatch(
                    base: try snapshot(), writer: self, transaction: transaction, number: number,
                    history: entry)
                try body(batch)
                if !heading.metadata.isEmpty { try meta.merge(heading.metadata) }
                if let cancellation = heading.cancellation, cancellation.isCancelled {
                    throw Self.cancelled
                }
                guard batch.hasWritten || !heading.metadata.isEmpty else { return nil }
                try entry?.end()
                try log.add(heading.identifier, number: number)
                return StoreGeneration(rawValue: number)
            }
            if generation != nil { tidyUp() }
            return generation
        }
    }
}
