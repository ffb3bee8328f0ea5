import DuramenFileStore
public import DuramenModel
public import DuramenStore

extension LMDBStoreType: InspectableStoreType {
    /// Inspects a store, which need not be open. The checks are for files of values. References are
    /// not checked, because an LMDB store has dangling references only if a save requests them.
    public func report(
        on description: PersistentStoreDescription, model: ManagedObjectModel?, checks: Bool
    ) throws(StoreError) -> StoreReport {
        try ClosedStore(description).report(model: model, checks: checks)
    }
}

extension ClosedStore {
    fileprivate func report(
        model: ManagedObjectModel?, checks: Bool
    ) throws(StoreError) -> StoreReport {
        try reading { (transaction, path) throws(StoreError) in
            let identity = try ModelCheck.identity(transaction, path: path)
            let meta = try ModelCheck.meta(transaction, path: path)
            let metadata = try meta.metadata()
            var report = StoreReport(
                kind: LMDBStoreType.typeName, location: path,
                writer: "Duramen, format \(identity.format)", metadata: metadata)
            var model = model
            if model == nil { model = try keptModel(meta, identity, path, &report) }
            let catalog = try meta.catalog() ?? Catalog()
            var count = RowCount(
                catalog, values: checks ? transaction.environment.folder.values : nil,
                path: path)
            try count.run(transaction)
            if checks, let history = try transaction.table(Table.Name.history) {
                try HistoryTable(transaction, history).check()
            }
            let missing = Dictionary(grouping: count.missingFiles) { StoredText($0.entity) }
            for entity in catalog.schemas.last?.entities ?? [] {
                var entry = StoreReport.EntityReport(
                    name: entity.name, versionHash: metadata.entityVersionHashes[entity.name])
                entry.rows = count.rows[StoredText(entity.name)] ?? 0
                if checks, entity.slots.contains(where: { $0.isExternal == true }) {
                    entry.missingFiles = missing[StoredText(entity.name)]?.count ?? 0
                }
                if let model, let known = model.entity(named: entity.name) {
                    entry.describe(known, in: model)
                }
                report.entities.append(entry)
            }
            report.missingFiles = count.missingFiles
            return report
        }
    }

    /// The model that the store keeps; nil, with a finding, if it cannot be read.
    private func keptModel(
        _ meta: MetaTable, _ identity: MetaTable.Identity, _ path: String,
        _ report: inout StoreReport
    ) throws(StoreError) -> ManagedObjectModel? {
        do throws(StoreError) {
            return try StoredModel(
                archive: meta.modelArchive(of: identity.modelChecksum), codableTypes: [],
                transformers: ValueTransformers(), path: path
            ).model
        } catch {
            switch error.code {
            case .modelMissing:
                report.findings.append(
                    "The store keeps no model of its own; parents, properties and references are not known."
                )
            case .damagedFile, .unsupported: report.findings.append(error.message)
            default: throw error
            }
            return nil
        }
    }
}

/// The number of rows of each entity, by the entity's name when they were written.
private struct RowCount {
    private(set) var rows: [StoredText: Int] = [:]
    /// The values whose files are missing.
    private(set) var missingFiles: [StoreReport.MissingFile] = []
    private let catalog: Catalog
    private let layouts: [[StoredLayout]]
    private let values: ExternalValueFolder?
    private let path: String

    /// - Parameters:
    ///   - catalog: The catalog of the store.
    ///   - values: The folder of value files; nil to skip checking them.
    ///   - path: The store's path, for errors.
    init(_ catalog: Catalog, values: ExternalValueFolder?, path: String) {
        self.catalog = catalog
        self.values = values
        self.path = path
        layouts = catalog.schemas.map { $0.entities.map(StoredLayout.init) }
    }

    mutating func run(_ transaction: Transaction) throws(StoreError) {
        for root in catalog.roots.values.sorted() {
            guard
                let table = try transaction.table(
                    Table.Name.rows(root), hasIntegerKeys: true, creates: false)
            else { continue }
            let cursor = try transaction.cursor(table)
            var record = try cursor.first()
            while let found = record {
                guard add(found.key, found.value) else {
                    throw StoreError(
                        .damagedFile, "A row of '\(path)' is damaged; restore a copy.")
                }
                record = try cursor.next()
            }
        }
    }

    /// Counts a row; returns false if it is damaged.
    private mutating func add(
        _ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer
    ) -> Bool {
        guard key.count == 8,
            let head = RowRecord.head(record, key: key.loadUnaligned(as: Int64.self)),
            layouts.indices.contains(Int(head.schema)),
            case let entities = catalog.schemas[Int(head.schema)].entities,
            entities.indices.contains(head.row.entityIndex),
            case let layout = layouts[Int(head.schema)][head.row.entityIndex],
            layout.fits(head.row)
        else { return false }
        let entity = entities[head.row.entityIndex]
        rows[StoredText(entity.name), default: 0] += 1
        guard let values else { return true }
        for (slot, file) in layout.files(of: head.row) where values.byteCount(of: file) == nil {
            missingFiles.append(
                .init(
                    entity: entity.name, key: head.row.key, attribute: entity.slots[slot].name,
                    path: values.path(of: file)))
        }
        return true
    }
}
