import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// A store interface to a parent context, from which its children load.
///
/// It answers every query completely. It rejects saves, because children save into the parent's
/// objects.
// Sound: only children of the context use it, and they belong to its isolation.
final class ParentStore: PersistentStore, @unchecked Sendable {
    private let part: ContextPart
    let counters = StoreCounters()

    init(_ part: ContextPart) { self.part = part }

    var model: ManagedObjectModel { part.model }
    var handle: StoreHandle { part.handle.store }
    var capabilities: StoreCapabilities { [] }

    func metadata() throws(StoreError) -> StoreMetadata {
        var metadata = try part.connection.store.metadata()
        metadata.storeType = "parent"
        return metadata
    }

    func snapshot() throws(StoreError) -> ParentSnapshot { ParentSnapshot(part) }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try part.connection.allocateKeys(count, for: entity)
    }

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        throw StoreError(.unsupported, "A context takes the changes of its children as objects.")
    }

    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? { nil }

    func pushdown(for query: StoreQuery) -> Pushdown {
        Pushdown(splitting: query, accepts: { _ in true }, acceptsOrder: { _ in true })
    }

    func close() throws(StoreError) {}
}

/// A snapshot of a parent, which is its present state: nothing else changes the parent while a
/// child loads.
// Sound: see ``ParentStore``.
final class ParentSnapshot: StoreSnapshot, @unchecked Sendable {
    private let part: ContextPart

    init(_ part: ContextPart) { self.part = part }

    /// Always 0, because a context does not number its states.
    var generation: StoreGeneration { StoreGeneration(rawValue: 0) }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try part.shownRows(for: ids)
    }

    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try part.shownDestinations(of: part.model[relationship], from: sources)
    }

    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        // The order numbers are assigned when the context at the top saves.
        try destinations(of: relationship, from: sources).map { list in
            list.map { OrderedDestination($0, order: nil) }
        }
    }

    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        try part.shownRows(lowered(query))
    }

    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        try part.shownObjectIDs(lowered(query))
    }

    func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        try part.shownCount(lowered(query))
    }

    private func lowered(_ query: PreparedQuery) -> LoweredQuery {
        LoweredQuery(lowered: query.query, in: part.model)
    }
}

extension ParentSnapshot: ExplainingSnapshot {
    func steps(of query: PreparedQuery) -> [String] { ["the parent context fetches"] }
}

/// Returns rows of a parent in batches.
final class ParentCursor: StoreCursor {
    private var rows: ArraySlice<Row>
    private let model: ManagedObjectModel

    init(_ rows: [Row], _ model: ManagedObjectModel) {
        self.rows = rows[...]
        self.model = model
    }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        if rows.isEmpty { return nil }
        defer { rows = rows.dropFirst(maximumRows) }
        return .copying(rows.prefix(maximumRows), model)
    }
}

extension RowBatch {
    /// Copies rows that may change later.
    ///
    /// - Parameters:
    ///   - rows: The rows to copy.
    ///   - model: The model of the rows.
    ///   - slots: The slots to copy; nil for all.
    static func copying(
        _ rows: some Collection<Row>, _ model: ManagedObjectModel, slots: SlotSet? = nil
    ) -> RowBatch {
        var builder = RowBatchBuilder(capacity: 128 * rows.count, rows: rows.count)
        for row in rows {
            let layout = model[row.entityID].layout
            if let slots {
                builder.append(row, slots: slots, layout: layout)
            } else {
                builder.append(row, layout: layout, version: row.version)
            }
        }
        return builder.finish()
    }
}
