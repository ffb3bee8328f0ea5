public import DuramenModel
import DuramenSQL
public import DuramenStore
import Foundation

extension PostgresStoreType: InspectableStoreType {
    /// Inspects a store, which need not be open, in one unchanging state. The checks look for
    /// to-ones that refer to missing rows.
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
        try reading(hasDeadline: false) { (catalog) throws(StoreError) in
            _ = try catalog.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let about = try catalog.about()
            let metadata = try metadata(catalog, about)
            var report = StoreReport(
                kind: PostgresStoreType.typeName, location: location.place,
                writer: "Duramen, format \(about.format)", metadata: metadata)
            let kept = if let model { model } else { try keptModel(catalog, &report) }
            var schema: PostgresSchema?
            if let kept {
                schema = PostgresSchema(
                    name: location.schema, model: kept, store: StoreHandle(uuid: about.uuid),
                    known: try catalog.knownNames())
            }
            let entities = try catalog.run(
                "SELECT number, name, tbl FROM "
                    + "\(catalog.schema).entities WHERE tbl <> '' "
                    + "ORDER BY number")
            for row in 0..<entities.rowCount {
                guard let number = entities.int32(row, 0), let name = entities.storedText(row, 1),
                    let table = entities.text(row, 2)
                else { continue }
                var entry = StoreReport.EntityReport(
                    name: name, versionHash: metadata.entityVersionHashes[name])
                entry.rows = try count(
                    catalog, "\(qualified(table)) WHERE entity = \(number)")
                if let schema, let entity = schema.model.entity(named: name) {
                    entry.describe(entity, in: schema.model)
                    if checks { entry.danglingReferences = try dangling(entity, schema, catalog) }
                }
                report.entities.append(entry)
            }
            report.findings += try findings(catalog)
            return report
        }
    }

    private func qualified(_ table: String) -> String {
        "\(SQLQuoting.identifier(location.schema)).\(SQLQuoting.identifier(table))"
    }

    private func count(_ catalog: Catalog, _ rows: String) throws(StoreError) -> Int {
        Int(try catalog.run("SELECT count(*) FROM \(rows)").int64(0, 0) ?? 0)
    }

    /// The number of to-ones of an entity's objects whose destination is missing.
    private func dangling(
        _ entity: Entity, _ schema: PostgresSchema, _ catalog: Catalog
    ) throws(StoreError) -> Int {
        var total = 0
        for relationship in entity.relationships {
            guard case .toOne(let slot, _) = relationship.storage else { continue }
            let column = schema.column(slot: slot, of: entity.id)
            let family = schema.model[relationship.destination].family
            let numbers = family.map { String(schema.number(of: $0)) }.joined(separator: ", ")
            total += try count(
                catalog,
                "\(schema.table(of: entity.id)) AS t WHERE t.entity = \(schema.number(of: entity.id)) "
                    + "AND t.\(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
                    + "\(schema.table(of: relationship.destination)) AS d "
                    + "WHERE d.id = t.\(column) AND d.entity IN (\(numbers)))")
        }
        return total
    }

    /// The model that the store keeps; nil, with a finding, if it cannot be read.
    private func keptModel(
        _ catalog: Catalog, _ report: inout StoreReport
    ) throws(StoreError) -> ManagedObjectModel? {
        do throws(StoreError) {
            return try StoredModel(
                archive: modelArchive(catalog), codableTypes: [],
                transformers: ValueTransformers(), path: location.place
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

    /// Facts about the server that the owner of the store should know.
    private func findings(_ catalog: Catalog) throws(StoreError) -> [String] {
        var findings: [String] = []
        let settings = try catalog.run(
            "SELECT current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean"
        )
        if settings.bool(0, 0) != true {
            findings.append(
                "The server runs without fsync or full_page_writes; a loss of power may destroy "
                    + "the store.")
        }
        let invalid = try catalog.run(
            "SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid "
                + "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
                + "WHERE NOT i.indisvalid AND n.nspname = $1::text ORDER BY c.relname",
            [.text(location.schema)])
        for row in 0..<invalid.rowCount {
            findings.append(
                "The index '\(invalid.text(row, 0) ?? "")' is not complete; drop it and make it again."
            )
        }
        let oldest = try catalog.run(
            "SELECT COALESCE(max(extract(epoch FROM now() - xact_start)), 0)::double precision "
                + "FROM pg_stat_activity WHERE backend_xmin IS NOT NULL "
                + "AND pid <> pg_backend_pid()")
        if let seconds = oldest.double(0, 0), seconds > 3_600 {
            findings.append(
                "A transaction of the server has been open for \(Int(seconds / 60)) minutes; it "
                    + "keeps old versions of rows from being removed.")
        }
        return findings
    }
}
