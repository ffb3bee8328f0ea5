import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// A model with its numbers and tables in a store. Immutable while the store is open.
final class StoreSchema: Sendable {
    /// The table, slots and indexes of one entity.
    struct Place: Sendable {
        let rows: Table
        let layout: RowLayout
        /// The indexes with the entity's rows, by their positions in ``StoreSchema/indexes``.
        let indexes: [Int]
        /// The slots of to-ones.
        let references: [Int]
        /// The many-to-many relationships of the entity.
        let pairs: [RelationshipID]
        /// Slots whose values have a tag, and may be in files.
        let externalSlots: [Int]
        /// Whether the table has rows of other entities too.
        let sharesTable: Bool
    }

    /// The catalog's numbers of tables and relationships.
    struct Numbers: Sendable {
        /// By entity: the number of the table of rows, for root entities.
        let roots: [Int]
        /// By relationship; 0 for others than many-to-many relationships.
        let relationships: [UInt32]
    }

    let model: ManagedObjectModel
    let handle: StoreHandle
    let path: String
    /// The folder of large values.
    let values: ExternalValueFolder
    /// By entity: the slots of attributes with external storage; empty without such attributes.
    let externalSlots: [[Int]]
    /// The place of each entity, by its index.
    let places: [Place]
    let indexes: [StoreIndex]
    /// The positions of the indexes that are created when they are needed.
    let deferredIndexes: [Int]
    /// The tables of the engine.
    let tables: StoreTables
    let historyProperties: HistoryProperties
    /// By entity: the index of its root entity.
    let roots: [Int]
    /// The catalog's numbers.
    let numbers: Numbers
    /// By relationship: the index for a to-many whose inverse is a to-one.
    let toManyIndexes: [Int?]
    /// Computes derived attributes; nil when the model has none.
    let derived: DerivedAttributes?
    /// Reads rows of every schema that the store was written with.
    let upgrades: RowUpgrades
    let schemaVersion: UInt16
    let indexNumbers = KnownIndexNumbers()
    let counters = StoreCounters()
    let process = ProcessMark()
    let isClosed = Atomic<Bool>(false)

    init(
        model: ManagedObjectModel, handle: StoreHandle, path: String, values: ExternalValueFolder,
        catalog: Catalog, tables: StoreTables
    ) throws(StoreError) {
        self.model = model
        self.handle = handle
        self.path = path
        self.values = values
        self.tables = tables
        historyProperties = HistoryProperties(model)
        let indexes = StoreIndex.all(of: model)
        self.indexes = indexes
        deferredIndexes = indexes.indices.filter { indexes[$0].isMadeWhenNeeded }
        var places: [Place] = []
        for entity in model.entities {
            let root = model[entity.root]
            guard let number = catalog.roots[root.name], let rows = tables.rows[number] else {
                throw StoreError(
                    .damagedFile,
                    "The store '\(path)' has no table for '\(root.name)'; restore a copy.")
            }
            places.append(
                Place(
                    rows: rows, layout: entity.layout,
                    indexes: indexes.indices.filter {
                        entity.isKind(of: model[indexes[$0].entity])
                    },
                    references: entity.layout.kinds.indices.filter {
                        entity.layout.kinds[$0] == .reference
                    },
                    pairs: entity.toManyRelationships.compactMap {
                        if case .manyToMany = $0.storage { $0.id } else { nil }
                    },
                    externalSlots: entity.externalSlots, sharesTable: root.family.count > 1))
        }
        self.places = places
        let hasExternalSlots = places.contains { !$0.externalSlots.isEmpty }
        externalSlots = hasExternalSlots ? places.map(\.externalSlots) : []
        roots = model.entities.map(\.root.index)
        numbers = Numbers(
            roots: model.entities.map { catalog.roots[$0.name] ?? -1 },
            relationships: model.relationships.map { relationship in
                catalog.relationships[Catalog.name(of: relationship, in: model)] ?? 0
            })
        toManyIndexes = model.relationships.map { relationship in
            indexes.firstIndex {
                if case .toMany(let id) = $0.purpose { id == relationship.id } else { false }
            }
        }
        derived = DerivedAttributes(model, store: handle)
        schemaVersion = UInt16(catalog.schemas.count - 1)
        upgrades = RowUpgrades(catalog, model: model)
    }

    /// Whether an attribute may have values in files.
    @inline(__always) var hasExternalSlots: Bool { !externalSlots.isEmpty }

    /// Returns the place of an object's entity; nil when the model does not have the entity.
    func place(of id: ManagedObjectID) -> Place? {
        id.store == handle ? model.entity(of: id).map { places[$0.id.index] } : nil
    }

    /// Throws after closing, and in a child made by fork.
    func checkOpen() throws(StoreError) {
        try process.check(path)
        if isClosed.load(ordering: .acquiring) { throw closed }
    }

    /// - Throws: `.storeMigrated` when the list is of another version of the model.
    func check(_ list: IndexList) throws(StoreError) {
        if list.schema ?? 0 != Int(schemaVersion) { throw StoreError.storeMigrated(path) }
    }

    var closed: StoreError {
        StoreError(.closed, "The store '\(path)' was closed; open it again.")
    }

    /// Returns the error for a damaged record.
    func damaged(_ entity: String, key: Int64) -> StoreError {
        StoreError(
            .damagedFile,
            "A row of '\(entity)' with key \(key) in '\(path)' is damaged; restore a copy.")
    }
}

/// The engine's handles of a store's tables.
struct StoreTables: Sendable {
    var main: Table
    var meta: Table
    var saves: Table
    var index: Table
    var edges: Table
    /// Nil in a read-only store that was created before there were histories.
    var history: Table?
    /// By the catalog's numbers of root entities.
    var rows: [Int: Table]

    /// Opens the tables, and creates missing ones if allowed.
    static func open(
        _ transaction: Transaction, roots: some Sequence<Int>, creates: Bool
    ) throws(StoreError) -> StoreTables? {
        guard let meta = try transaction.table(Table.Name.meta, creates: creates),
            let saves = try transaction.table(
                Table.Name.saves, hasIntegerKeys: true, creates: creates),
            let index = try transaction.table(Table.Name.index, creates: creates),
            let edges = try transaction.table(Table.Name.edges, creates: creates)
        else { return nil }
        var rows: [Int: Table] = [:]
        for root in roots {
            rows[root] = try transaction.table(
                Table.Name.rows(root), hasIntegerKeys: true, creates: creates)
        }
        let history = try transaction.table(
            Table.Name.history, creates: creates || transaction.isWriting)
        return StoreTables(
            main: try transaction.mainTable(), meta: meta, saves: saves, index: index, edges: edges,
            history: history, rows: rows)
    }
}
