import DuramenModel
package import DuramenStore

extension LMDBStoreType: InspectableStoreType {
    /// Checks are for files of values. References are not looked at: an LMDB store writes none that dangle unless
    /// it is asked to.
    package func report(
        on description: PersistentStoreDescription, checks: Bool
    ) throws(StoreError) -> StoreReport {
        try ClosedStore(description).report(checks: checks)
    }
}

extension ClosedStore {
    fileprivate func report(checks: Bool) throws(StoreError) -> StoreReport {
        try reading { (transaction, path) throws(StoreError) in
            let identity = try ModelCheck.identity(transaction, path: path)
            let meta = try ModelCheck.meta(transaction, path: path)
            let metadata = try meta.metadata()
            var report = StoreReport(
                kind: LMDBStoreType.typeName, location: path, identifier: metadata.storeUUID,
                writer: "Duramen, format \(identity.format)",
                versionIdentifiers: metadata.modelVersionIdentifiers,
                modelChecksum: metadata.modelChecksum)
            for (name, value) in metadata.userInfo { report.userInfo[name] = value.summary }
            let catalog = try meta.catalog() ?? Catalog()
            var count = RowCount(
                catalog, values: checks ? transaction.environment.folder.values : nil,
                path: path)
            try count.run(transaction)
            if checks, let history = try transaction.table(Table.Name.history) {
                try HistoryTable(transaction, history).check()
            }
            for entity in catalog.schemas.last?.entities ?? [] {
                var entry = StoreReport.EntityReport(
                    name: entity.name, versionHash: metadata.entityVersionHashes[entity.name])
                entry.rows = count.rows[StoredText(entity.name)] ?? 0
                if checks, entity.slots.contains(where: { $0.isExternal == true }) {
                    entry.missingFiles = count.missingFiles[StoredText(entity.name)] ?? 0
                }
                report.entities.append(entry)
            }
            report.findings.append(
                "An LMDB store keeps no model: parents, properties and references are not known.")
            return report
        }
    }
}

/// The rows of each entity, by the name that it had when they were written.
private struct RowCount {
    private(set) var rows: [StoredText: Int] = [:]
    /// How many values of each stand in files that are missing.
    private(set) var missingFiles: [StoredText: Int] = [:]
    private let catalog: Catalog
    private let layouts: [[StoredLayout]]
    private let values: ExternalValueFolder?
    private let path: String

    /// - Parameter values: Where to look for files; nil to look for none.
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

    /// Counts a row; false when it is damaged.
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
        let name = StoredText(entities[head.row.entityIndex].name)
        rows[name, default: 0] += 1
        if let values {
            missingFiles[name, default: 0] +=
                layout.fileNames(of: head.row).count { values.byteCount(of: $0) == nil }
        }
        return true
    }
}
