import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore
import Synchronization

/// The common data of an open store's readers, writer and snapshots.
final class StoreCore: Sendable {
    private let description: PersistentStoreDescription
    let schema: AppleSchema
    /// The number of the last migration when the file was compared with the model.
    let lastMigration: Int64
    let counters: StoreCounters
    let place: StorePlace
    let held: HeldSnapshots
    let isClosed = Atomic<Bool>(false)
    /// Whether the last operation failed. Then the engine may wait for ten seconds for its own
    /// locks.
    let hadTrouble = Atomic<Bool>(false)
    /// The process that opened the store.
    let process = ProcessMark()
    /// Whether the file has `DURAMEN_SAVE` and `DURAMEN_DECIMAL`.
    let hasOwnTables: Bool
    /// The checksums of the file's rows; nil for a file without.
    let checksums: RowChecksums?
    /// The values in files.
    let external: ExternalValues
    /// The settings from the description.
    let settings: StoreSettings
    /// The numbered properties for a history.
    let historyProperties: HistoryProperties
    /// Computes derived attributes; nil when the model has none.
    let derived: DerivedAttributes?
    /// The plan of each entity alone, and of each with all its sub-entities.
    let plans: [ReadPlan]
    let familyPlans: [ReadPlan]
    /// The plan of all entities in a table.
    let tablePlans: [ReadPlan]
    /// The statements of queries.
    let compiled = CompiledQueries()

    init(
        schema: AppleSchema, lastMigration: Int64, counters: StoreCounters, place: StorePlace,
        hasOwnTables: Bool, checksums: RowChecksums?,
        _ description: PersistentStoreDescription
    ) {
        self.description = description
        self.schema = schema
        self.lastMigration = lastMigration
        self.counters = counters
        self.place = place
        held = HeldSnapshots(path: place.path, lease: description.lease)
        self.hasOwnTables = hasOwnTables
        self.checksums = checksums
        external = ExternalValues(
            storePath: place.path, isOwnFile: schema.isOwnFile,
            missingIsNull: description.isReadOnly && description.opening.missingValuesAreNull)
        settings = StoreSettings(description)
        let model = schema.model
        derived = DerivedAttributes(model, store: schema.store)
        historyProperties = HistoryProperties(model)
        plans = model.entities.map { ReadPlan(schema: schema, entities: [$0.id], checksums) }
        familyPlans = model.entities.map {
            ReadPlan(schema: schema, entities: $0.family, checksums)
        }
        tablePlans = schema.tables.map {
            ReadPlan(schema: schema, entities: $0.entities, checksums)
        }
    }

    /// Creates a core for a migrated store with another schema. Its checksums are not computed yet.
    convenience init(migrating core: StoreCore, to schema: AppleSchema) {
        self.init(
            schema: schema, lastMigration: core.lastMigration, counters: core.counters,
            place: core.place, hasOwnTables: core.hasOwnTables, checksums: nil, core.description)
    }

    var path: String { place.path }

    /// Core Data's hashes of the model's entities, for a file that is migrated.
    var appleVersionHashes: AppleVersionHashes? { description.appleVersionHashes }

    /// Checks that the store may be used now, before any lock is acquired.
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

/// The settings for saves from a store's description.
struct StoreSettings: Sendable {
    /// The largest number of bytes of a value in a row.
    let largestInlineValueBytes: Int
    /// Whether a save synchronises files before it refers to them.
    let synchronizesFiles: Bool
    /// Whether each commit waits for the disk.
    let synchronizesCommits: Bool
    /// The clock for the time of day.
    let clock: StoreClock
    /// How long transactions are kept in a history, in seconds; nil to keep them until they are
    /// deleted.
    let historySeconds: Double?

    init(_ description: PersistentStoreDescription) {
        largestInlineValueBytes = description.largestInlineValueBytes
        synchronizesFiles = description.durability != .unsafeNoSync
        synchronizesCommits = description.durability == .full
        clock = description.clock
        historySeconds = description.historySeconds
    }
}
