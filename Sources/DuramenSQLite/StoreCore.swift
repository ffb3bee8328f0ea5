import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// What all parts of an open store share: readers, writer and snapshots.
final class StoreCore: Sendable {
    private let description: PersistentStoreDescription
    let schema: AppleSchema
    /// The number of the last change of the model when the file was compared with it.
    let lastMigration: Int64
    let counters: StoreCounters
    let place: StorePlace
    let held: HeldSnapshots
    let isClosed = Atomic<Bool>(false)
    /// Whether the last work failed. The engine may wait for ten seconds then, for locks of its
    /// own.
    let hadTrouble = Atomic<Bool>(false)
    /// The process that opened the store.
    let process = ProcessMark()
    /// Whether the file has `DURAMEN_SAVE` and `DURAMEN_DECIMAL`.
    let hasOwnTables: Bool
    /// Where values are that stand in files of their own.
    let external: ExternalValues
    /// What the description asks for.
    let settings: StoreSettings
    /// The properties as a history numbers them.
    let historyProperties: HistoryProperties
    /// What computes derived attributes; nil when the model has none.
    let derived: DerivedAttributes?
    /// The plan of each entity alone, and of each with all its sub-entities.
    let plans: [ReadPlan]
    let familyPlans: [ReadPlan]
    /// The plan of everything in a table.
    let tablePlans: [ReadPlan]
    /// The statements of queries.
    let compiled = CompiledQueries()

    init(
        schema: AppleSchema, lastMigration: Int64, counters: StoreCounters, place: StorePlace,
        hasOwnTables: Bool,
        _ description: PersistentStoreDescription
    ) {
        self.description = description
        self.schema = schema
        self.lastMigration = lastMigration
        self.counters = counters
        self.place = place
        held = HeldSnapshots(path: place.path, lease: description.lease)
        self.hasOwnTables = hasOwnTables
        external = ExternalValues(
            storePath: place.path, isOwnFile: schema.isOwnFile,
            missingIsNull: description.isReadOnly && description.opening.missingValuesAreNull)
        settings = StoreSettings(description)
        let model = schema.model
        derived = DerivedAttributes(model, store: schema.store)
        historyProperties = HistoryProperties(model)
        plans = model.entities.map { ReadPlan(schema: schema, entities: [$0.id]) }
        familyPlans = model.entities.map { ReadPlan(schema: schema, entities: $0.family) }
        tablePlans = schema.tables.map { ReadPlan(schema: schema, entities: $0.entities) }
    }

    /// The same for the other schema that the store gets.
    convenience init(migrating core: StoreCore, to schema: AppleSchema) {
        self.init(
            schema: schema, lastMigration: core.lastMigration, counters: core.counters,
            place: core.place, hasOwnTables: core.hasOwnTables, core.description)
    }

    var path: String { place.path }

    /// Core Data's hashes of the model's entities, for a file that becomes one of another model.
    var appleVersionHashes: AppleVersionHashes? { description.appleVersionHashes }

    /// Makes sure that the store may be used here and now, before any lock is taken.
    ///
    /// - Throws: `.usedAfterFork`, `.closed`
    func checkUsable() throws(StoreError) {
        try process.check(path)
        if isClosed.load(ordering: .acquiring) { throw closed }
    }

    var closed: StoreError {
        StoreError(.closed, "The store '\(path)' was closed; open it again.")
    }
}

/// What the description of a store asks of its saves.
struct StoreSettings: Sendable {
    /// How many bytes a value may have that stands in its row.
    let largestInlineValueBytes: Int
    /// Whether a save waits for the disk before it refers to a file.
    let synchronizesFiles: Bool
    /// Whether each commit waits for the disk.
    let synchronizesCommits: Bool
    /// Where the time of day is read.
    let clock: StoreClock
    /// How long transactions are kept in a history, in seconds; nil for until they are deleted.
    let historySeconds: Double?

    init(_ description: PersistentStoreDescription) {
        largestInlineValueBytes = description.largestInlineValueBytes
        synchronizesFiles = description.durability != .unsafeNoSync
        synchronizesCommits = description.durability == .full
        clock = description.clock
        historySeconds = description.historySeconds
    }
}
