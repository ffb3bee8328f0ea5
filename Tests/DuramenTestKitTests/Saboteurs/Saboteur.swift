import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import Synchronization

/// An honest store around a named memory store, whose subclasses each break one law.
///
/// It declares every capability, so that no case is skipped.
// Sound: what subclasses add is immutable, guarded by a mutex, or atomic.
class Saboteur: PersistentStore, MaintainingStore, BatchWritingStore, HistoryTrackingStore,
    ChangeObservingStore, SchemaMigratingStore, GroupSavingStore, @unchecked Sendable
{
    let base: any PersistentStore
    let model: ManagedObjectModel
    let location: String

    required init(_ model: ManagedObjectModel, _ location: String) throws(StoreError) {
        self.model = model
        self.location = location
        base = try MemoryStoreType().open(.memory(location), model: Self.baseModel(model))
    }

    /// The model that the store below is opened with; of the same entities and slots.
    class func baseModel(_ model: ManagedObjectModel) -> ManagedObjectModel { model }

    /// What a snapshot does otherwise than the one below.
    var hooks: SnapshotHooks { SnapshotHooks() }

    var handle: StoreHandle { base.handle }
    var capabilities: StoreCapabilities {
        [
            .durable, .maintenance, .batches, .history, .changeObservation, .derivedAttributes,
            .schemaMigration, .groupSaves,
        ]
    }
    var counters: StoreCounters { base.counters }

    func metadata() throws(StoreError) -> StoreMetadata { try base.metadata() }

    func snapshot() throws(StoreError) -> SabotagedSnapshot {
        SabotagedSnapshot(try base.snapshot(), hooks)
    }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try base.allocateKeys(count, for: entity)
    }

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome { try base.save(changes) }

    func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        group.map { changes in Result { () throws(StoreError) in try save(changes) } }
    }

    func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        try base.batchWriting().writeBatch(heading) { transaction throws(StoreError) in
            try body(SabotagedBatch(transaction, batchHooks))
        }
    }

    /// What the transaction of a batch does otherwise than the one below.
    var batchHooks: BatchHooks { BatchHooks() }

    func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? { try base.observing?.observeChanges(body) }

    func beginHistory() throws(StoreError) { try base.historyTracking().beginHistory() }

    func historyExtent() throws(StoreError) -> HistoryExtent? {
        try base.historyTracking().historyExtent()
    }

    func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try base.historyTracking().history(request)
    }

    func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        try base.historyTracking().deleteHistory(deletion)
    }

    func historyConsumers() throws(StoreError) -> [HistoryConsumer] {
        try base.historyTracking().historyConsumers()
    }

    func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError) {
        try base.historyTracking().setHistoryConsumer(
            named: name, at: transactionNumber, leaseSeconds: leaseSeconds)
    }

    func removeHistoryConsumer(named name: String) throws(StoreError) {
        try base.historyTracking().removeHistoryConsumer(named: name)
    }

    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try base.generation(ofSave: identifier)
    }

    func pushdown(for query: StoreQuery) -> Pushdown { base.pushdown(for: query) }

    func maintain() throws(StoreError) -> MaintenanceReport { MaintenanceReport() }

    func migrate(_ work: MigrationWork) throws(StoreError) {
        guard let base = base as? any SchemaMigratingStore else {
            throw StoreError(.unsupported, "The store below cannot be migrated.")
        }
        try base.migrate(work)
    }

    func migrate(through copy: WorkingCopy) throws(StoreError) {
        guard let base = base as? any SchemaMigratingStore else {
            throw StoreError(.unsupported, "The store below cannot be migrated.")
        }
        try base.migrate(through: copy)
    }

    func close() throws(StoreError) { try base.close() }
}

/// What a sabotaged snapshot does otherwise; nil for nothing.
struct SnapshotHooks: Sendable {
    typealias Base = any StoreSnapshot

    var generation: (@Sendable (Base) -> StoreGeneration)?
    var isNewest: (@Sendable (Base) -> Bool)?
    var rows: (@Sendable (Base, [ManagedObjectID]) throws(StoreError) -> RowBatch)?
    var destinations:
        (
            @Sendable (Base, RelationshipID, [ManagedObjectID]) throws(StoreError) ->
                [[ManagedObjectID]]
        )?
    var orderedDestinations:
        (
            @Sendable (Base, RelationshipID, [ManagedObjectID]) throws(StoreError) ->
                [[OrderedDestination]]
        )?
    var cursor: (@Sendable (Base, StoreQuery) throws(StoreError) -> any StoreCursor)?
    var count: (@Sendable (Base, StoreQuery) throws(StoreError) -> Int)?
    var objectIDs: (@Sendable (Base, StoreQuery) throws(StoreError) -> [ManagedObjectID])?
    var onRelease: (@Sendable () -> Void)?
}

final class SabotagedSnapshot: StoreSnapshot {
    let base: any StoreSnapshot
    let hooks: SnapshotHooks

    init(_ base: any StoreSnapshot, _ hooks: SnapshotHooks) {
        self.base = base
        self.hooks = hooks
    }

    deinit { hooks.onRelease?() }

    var generation: StoreGeneration { hooks.generation?(base) ?? base.generation }

    var isNewest: Bool { hooks.isNewest?(base) ?? base.isNewest }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        if let hook = hooks.rows { return try hook(base, ids) }
        return try base.rows(for: ids)
    }

    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        if let hook = hooks.destinations { return try hook(base, relationship, sources) }
        return try base.destinations(of: relationship, from: sources)
    }

    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        if let hook = hooks.orderedDestinations { return try hook(base, relationship, sources) }
        return try base.orderedDestinations(of: relationship, from: sources)
    }

    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        if let hook = hooks.cursor { return try hook(base, query.query) }
        return try base.cursor(query)
    }

    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        if let hook = hooks.objectIDs { return try hook(base, query.query) }
        return try base.objectIDs(query)
    }

    func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        if let hook = hooks.count { return try hook(base, query.query) }
        return try base.count(query)
    }
}

/// A cursor over rows that are there already.
final class ListCursor: StoreCursor {
    private var rows: ArraySlice<Row>
    private let model: ManagedObjectModel

    init(_ rows: [Row], _ model: ManagedObjectModel) {
        self.rows = rows[...]
        self.model = model
    }

    func next(maximumRows: Int) -> RowBatch? {
        if rows.isEmpty { return nil }
        let some = rows.prefix(maximumRows)
        rows = rows.dropFirst(maximumRows)
        return .packed(Array(some), model)
    }
}

extension RowBatch {
    static func packed(_ rows: [Row], _ model: ManagedObjectModel) -> RowBatch {
        var builder = RowBatchBuilder(capacity: 256)
        for row in rows {
            builder.append(row, layout: model[row.entityID].layout, version: row.version)
        }
        return builder.finish()
    }
}

extension StoreCursor {
    /// All rows to the end.
    func remaining() throws(StoreError) -> [Row] {
        var rows: [Row] = []
        while let batch = try next(maximumRows: 256) { rows += batch }
        return rows
    }
}

/// Something that several threads change.
final class Guarded<Value: Sendable>: Sendable {
    private let state: Locked<Value>

    init(_ value: Value) { state = Locked(value) }

    var value: Value { state.withLock { $0 } }

    func change<R: Sendable>(_ body: (inout Value) -> R) -> R {
        state.withLock { value in body(&value) }
    }
}

/// The kind of saboteurs of one class, to be opened by name.
struct SaboteurType: PersistentStoreType {
    let name = "sabotaged"
    var forgetsMigrations = false
    let make: @Sendable (ManagedObjectModel, String) throws(StoreError) -> any PersistentStore

    func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore { try make(model, description.location) }

    func metadata(of description: PersistentStoreDescription) throws(StoreError) -> StoreMetadata {
        var metadata = try MemoryStoreType().metadata(of: description)
        if forgetsMigrations { metadata.migrations = [] }
        return metadata
    }

    func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType],
        transformers: ValueTransformers
    ) throws(StoreError) -> StoredModel {
        try MemoryStoreType().storedModel(
            of: description, codableTypes: codableTypes, transformers: transformers)
    }

    func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) { try MemoryStoreType().setUserInfo(userInfo, of: description) }

    func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try MemoryStoreType().destroy(description)
    }

    func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) { try MemoryStoreType().copy(source, to: destination) }
}
