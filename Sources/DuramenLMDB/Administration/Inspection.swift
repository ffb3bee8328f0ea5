import DuramenModel
package import DuramenStore

extension LMDBStoreType: InspectableStoreType {
    /// References are not checked: an LMDB store writes none that dangle unless it is asked to.
    package func report(
        on description: PersistentStoreDescription, checks: Bool
    ) throws(StoreError) -> StoreReport {
        try ClosedStore(description).report()
    }
}

extension ClosedStore {
    func report() throws(StoreError) -> StoreReport {
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
            let counts = try Self.rowCounts(catalog, transaction, path)
            for entity in catalog.schemas.last?.entities ?? [] {
                var entry = StoreReport.EntityReport(
                    name: entity.name, versionHash: metadata.entityVersionHashes[entity.name])
                entry.rows = counts[StoredText(entity.name)] ?? 0
                report.entities.append(entry)
            }
            report.findings.append(
                "An LMDB store keeps no model: parents, properties and references are not known.")
            return report
        }
    }

    /// The rows of each entity, by the name that it had when they were written.
    private static func rowCounts(
        _ catalog: Catalog, _ transaction: Transaction, _ path: String
    ) throws(StoreError) -> [StoredText: Int] {
        var counts: [StoredText: Int] = [:]
        for root in catalog.roots.values.sorted() {
            guard
                let table = try transaction.table(
                    Table.Name.rows(root), hasIntegerKeys: true, creates: false)
            else { continue }
            let cursor = try transaction.cursor(table)
            var record = try cursor.first()
            while let found = record {
                guard found.key.count == 8,
                    let head = RowRecord.head(
                        found.value, key: found.key.loadUnaligned(as: Int64.self)),
                    catalog.schemas.indices.contains(Int(head.schema)),
                    case let entities = catalog.schemas[Int(head.schema)].entities,
                    entities.indices.contains(head.row.entityIndex)
                else {
                    throw StoreError(
                        .damagedFile, "A row of '\(path)' is damaged; restore a copy.")
                }
                counts[StoredText(entities[head.row.entityIndex].name), default: 0] += 1
                record = try cursor.next()
            }
        }
        return counts
    }
}
