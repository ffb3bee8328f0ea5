import DuramenModel
import DuramenSQL
import DuramenStore
import Synchronization

/// The data that the parts of an open store share.
final class StoreCore: Sendable {
    let schema: PostgresSchema
    /// Host, database and schema, for messages.
    let name: StorePlaceName
    /// The words of ``name``.
    let place: String
    let settings: StoreSettings
    let counters: StoreCounters
    let process = ProcessMark()
    let isClosed = Atomic<Bool>(false)
    /// The number of the tables' form when the store was opened.
    let layout: Int64
    /// The newest save that this process has seen.
    let newest = NewestSave()
    /// How the history numbers properties.
    let properties: HistoryProperties
    let check: ChangeCheck
    let derived: DerivedAttributes?
    /// By entity: the plan for reading rows of exactly this entity.
    let plans: [RowPlan]
    /// By entity: the number of its table.
    let tableIndexes: [Int]
    /// By entity: the plan for reading rows of the entity and its sub-entities.
    let familyPlans: [RowPlan]
    /// By table: the plan for reading all rows.
    let tablePlans: [RowPlan]
    /// By entity: the plan for writing rows.
    let writePlans: [WritePlan]
    let statements: StoreStatements
    /// The statements of queries.
    let compiled = CompiledQueries()
    init(
        schema: PostgresSchema, name: StorePlaceName, settings: StoreSettings, layout: Int64,
        counters: StoreCounters
    ) {
        self.schema = schema
        self.name = name
        place = name.description
        self.settings = settings
        self.layout = layout
        self.counters = counters
        let model = schema.model
        properties = HistoryProperties(model)
        check = ChangeCheck(model: model, store: schema.store)
        derived = DerivedAttributes(model, store: schema.store)
        plans = model.entities.map { RowPlan(schema: schema, entities: [$0.id]) }
        tableIndexes = schema.entities.map(\.table)
        familyPlans = model.entities.map { RowPlan(schema: schema, entities: $0.family) }
        tablePlans = schema.tables.map { RowPlan(schema: schema, entities: $0.entities) }
        writePlans = model.entities.map { WritePlan(schema: schema, entity: $0) }
        statements = StoreStatements(schema, notifies: settings.notifies)
    }

    var model: ManagedObjectModel { schema.model }

    /// - Throws: `.closed`, `.usedAfterFork`, `.storeWentBack`.
    func checkUsable() throws(StoreError) {
        try process.check(place)
        if isClosed.load(ordering: .acquiring) {
            throw StoreError(.closed, "The store '\(place)' was closed; open it again.")
        }
        if newest.hasGoneBack { throw wentBack }
    }
}

/// The settings of an open store, from its description.
struct StoreSettings: Sendable {
    /// How long to wait for others, in seconds.
    let timeoutSeconds: Double
    let durability: Durability
    let historySeconds: Double?
    let clock: StoreClock
    /// Whether saves send a notice.
    let notifies: Bool
    /// The longest time for a read, in seconds; nil for no limit.
    let readSeconds: Double?

    init(_ description: PersistentStoreDescription, _ options: PostgresOptions) {
        notifies = options.notifies
        readSeconds = options.readSeconds
        timeoutSeconds = description.boundedTimeoutSeconds
        durability = description.durability
        historySeconds = description.historySeconds
        clock = description.clock
    }
}
