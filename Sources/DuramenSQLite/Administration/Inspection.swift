import CSQLite
import DuramenFileStore
public import DuramenModel
import DuramenSQL
public import DuramenStore
import Foundation

extension SQLiteStoreType: InspectableStoreType {
    /// Inspects a store, which need not be open, in one unchanging state.
    public func report(
        on description: PersistentStoreDescription, model: ManagedObjectModel?, checks: Bool
    ) throws(StoreError) -> StoreReport {
        let connection = try ClosedStore(description).connect(isReadOnly: true)
        try connection.execute("BEGIN")
        var inspection = try Inspection(connection)
        try inspection.countRows()
        try inspection.countRowsOfCloudKit()
        if let model {
            try inspection.describe(model, checks ? [:] : nil)
        } else {
            try inspection.readModel(checks: checks)
        }
        return inspection.report
    }
}

extension SQLiteStoreType {
    /// Returns all differences between a store's file and files of Core Data, one per line, in one
    /// unchanging state. Reads every row.
    ///
    /// - Parameters:
    ///   - description: Which store.
    ///   - model: The store's model.
    public func differencesFromCoreData(
        in description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> [String] {
        let connection = try ClosedStore(description).connect(isReadOnly: true)
        try connection.execute("BEGIN")
        return try AppleComparison(connection, model).differences
    }
}

/// The report on a file with Core Data's layout, of any program.
private struct Inspection {
    private let connection: Connection
    private let list: EntityList
    /// The index of each entity in the report, by its number.
    private var places: [Int: Int] = [:]
    private(set) var report: StoreReport

    init(_ connection: Connection) throws(StoreError) {
        self.connection = connection
        list = try EntityList(connection)
        let table = MetadataTable(connection: connection)
        let metadata = try table.metadata()
        let entries = try table.read().list
        report = StoreReport(
            kind: "sqlite", location: connection.path,
            writer: Self.writer(entries, try table.formatVersion(), try table.isAdopted()),
            metadata: metadata)
        if metadata.modelChecksum.isEmpty {
            report.modelChecksum = entries["NSStoreModelVersionChecksumKey"] as? String
        }
        for (name, value) in entries where !Self.isOfFramework(name) {
            report.userInfo[name] = Self.summary(of: value)
        }
        let names = Dictionary(
            list.ofModel.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
        for entry in list.ofModel {
            places[entry.number] = report.entities.count
            report.entities.append(
                .init(
                    name: entry.name,
                    superentity: names[entry.parent],
                    versionHash: metadata.entityVersionHashes[entry.name]))
        }
    }

    private static func writer(_ entries: [String: Any], _ format: Int?, _ isAdopted: Bool)
        -> String
    {
        let framework = (entries["NSPersistenceFrameworkVersion"] as? Int).map {
            ", framework \($0)"
        }
        let apple = "Core Data" + (framework ?? "")
        guard let format else { return apple }
        return isAdopted ? "\(apple); Duramen since, format \(format)" : "Duramen, format \(format)"
    }

    private static func isOfFramework(_ name: String) -> Bool {
        name.hasPrefix("NSStore") || name.hasPrefix("NSPersistence") || name.hasPrefix("_NS")
            || name.hasPrefix("Duramen")
    }

    private static func summary(of value: Any) -> String {
        switch value {
        case let text as String: text
        case let data as Data: "\(data.count) bytes"
        case let list as [Any]: "\(list.count) elements"
        case let entries as [String: Any]: "\(entries.count) entries"
        default: "\(value)"
        }
    }

    // MARK: - Rows

    mutating func countRows() throws(StoreError) {
        var naming = AppleNaming.objects()
        let families = list.families
        for root in list.ofModel where root.parent == 0 {
            let table = naming.table(for: root.name)
            let family = families[root.number] ?? []
            guard let counts = try counts(of: table) else {
                report.findings.append("\(root.name): it has no table")
                continue
            }
            for number in family {
                if let place = places[number] { report.entities[place].rows = counts[number] ?? 0 }
            }
            let foreign = counts.filter { !family.contains($0.key) }.values.reduce(0, +)
            if foreign > 0 {
                report.findings.append(
                    "\(root.name): \(foreign) row(s) of its table have the number of no entity of it; "
                        + "left out")
            }
        }
    }

    /// Adds the internal entities of NSPersistentCloudKitContainer, which are not part of a model.
    mutating func countRowsOfCloudKit() throws(StoreError) {
        for entry in list.ofCloudKit {
            var entity = StoreReport.EntityReport(name: entry.name)
            // The names of these tables, like those of the history, begin with another letter than
            // those of a model's tables.
            if let counts = try counts(of: "A" + entry.name.uppercased()) {
                entity.rows = counts[entry.number] ?? 0
            } else {
                report.findings.append("\(entry.name): it has no table")
            }
            report.entities.append(entity)
        }
    }

    /// The number of rows by entity number; nil if the table does not exist.
    private func counts(of table: String) throws(StoreError) -> [Int: Int]? {
        let exists = try connection.integer(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
            .text(StoredText(table)))
        guard exists != nil else { return nil }
        let statement = try connection.prepare(
            "SELECT Z_ENT, COUNT(*) FROM \(SQLiteDialect().quote(table)) GROUP BY Z_ENT")
        connection.begin(statement)
        defer { connection.end(statement) }
        var counts: [Int: Int] = [:]
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { return counts }
            guard result == SQLITE_ROW else { throw connection.error(result, "read") }
            let number = Int(clamping: sqlite3_column_int64(statement.handle, 0))
            counts[number, default: 0] += Int(sqlite3_column_int64(statement.handle, 1))
        }
    }

    // MARK: - The model

    /// Adds information from the store's own model, if it has one.
    mutating func readModel(checks: Bool) throws(StoreError) {
        do throws(StoreError) {
            let stored = try KeptModel(connection: connection).storedModel()
            report.findings += stored.findings.map(\.description)
            try describe(stored.model, checks ? stored.transformables : nil)
        } catch {
            switch error.code {
            case .modelMissing: try readColumns()
            case .damagedFile, .unsupported, .incompatibleModel:
                report.findings.append(error.message)
            default: throw error
            }
        }
    }

    /// Adds information from the columns, for a Core Data store without a model.
    private mutating func readColumns() throws(StoreError) {
        do throws(StoreError) {
            let stored = try ColumnModel(connection).storedModel()
            report.findings += stored.findings.map(\.description)
            try describe(stored.model, nil)
        } catch {
            guard error.code == .modelMissing else { throw error }
            report.findings.append(
                "The store keeps no model of its own; properties and references are not known.")
        }
    }

    /// Adds a model's information about the entities.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - transformables: The transformable attributes by the entities that declare them; nil to
    ///     skip all checks that read rows.
    mutating func describe(
        _ model: ManagedObjectModel, _ transformables: [String: Set<String>]?
    ) throws(StoreError) {
        for place in report.entities.indices {
            guard let entity = model.entity(named: report.entities[place].name) else { continue }
            report.entities[place].describe(entity, in: model)
        }
        if let transformables { try check(model, transformables) }
    }

    private mutating func check(
        _ model: ManagedObjectModel, _ transformables: [String: Set<String>]
    ) throws(StoreError) {
        let schema = try SchemaCheck(connection: connection, model: model).schema()
        let external = ExternalValues(
            storePath: connection.path, isOwnFile: schema.isOwnFile)
        for entity in model.entities {
            guard let place = places[schema.numbers[entity.id.index]] else { continue }
            var dangling = 0
            for relationship in entity.relationships {
                guard let slot = relationship.slot else { continue }
                dangling += try count(
                    "t0.\(schema.column(slot: slot, of: entity.id)) IS NOT NULL AND "
                        + "\(schema.selection(slot: slot, of: entity.id)) IS NULL", entity, schema)
            }
            report.entities[place].danglingReferences = dangling
            var missing: [StoreReport.MissingFile] = []
            for attribute in entity.attributes
            where schema.isExternal(slot: attribute.slot, of: entity.id) {
                missing += try missingFiles(attribute, entity, schema, external)
            }
            report.entities[place].missingFiles = missing.count
            report.missingFiles += missing
            for attribute in entity.attributes
            where transformables[model[attribute.declaringEntity].name]?
                .contains(attribute.name) == true
            {
                let survey = try survey(attribute, of: entity, schema)
                report.findings += survey.findings.map {
                    "\(entity.name).\(attribute.name): \($0)"
                }
            }
        }
    }

    private func count(
        _ condition: String, _ entity: Entity, _ schema: AppleSchema
    ) throws(StoreError) -> Int {
        let number = schema.number(of: entity.id)
        let count = try connection.integer(
            "SELECT COUNT(*) FROM \(schema.table(of: entity.id)) AS t0 "
                + "WHERE t0.Z_ENT = \(number) AND \(condition)")
        return Int(count ?? 0)
    }

    private func survey(
        _ attribute: Attribute, of entity: Entity, _ schema: AppleSchema
    ) throws(StoreError) -> TransformableSurvey {
        let column = schema.column(slot: attribute.slot, of: entity.id)
        let isExternal = schema.isExternal(slot: attribute.slot, of: entity.id)
        let statement = try connection.prepare(
            "SELECT \(column) FROM \(schema.table(of: entity.id)) "
                + "WHERE Z_ENT = \(schema.number(of: entity.id)) AND \(column) IS NOT NULL")
        var survey = TransformableSurvey()
        try connection.forEachRow(of: statement) { columns in
            let bytes = columns.bytes(0)
            guard isExternal else { return survey.add(Data(bytes)) }
            // Values in files are not read.
            if case .inline(let bytes)? = ExternalValue(bytes) { survey.add(Data(bytes)) }
        }
        return survey
    }

    private func missingFiles(
        _ attribute: Attribute, _ entity: Entity, _ schema: AppleSchema,
        _ external: ExternalValues
    ) throws(StoreError) -> [StoreReport.MissingFile] {
        let column = schema.column(slot: attribute.slot, of: entity.id)
        // Values of another length are stored in the row.
        let statement = try connection.prepare(
            "SELECT \(column), Z_PK FROM \(schema.table(of: entity.id)) "
                + "WHERE Z_ENT = \(schema.number(of: entity.id)) "
                + "AND length(\(column)) = \(ExternalValue.referenceByteCount) ORDER BY Z_PK")
        var missing: [StoreReport.MissingFile] = []
        try connection.forEachRow(of: statement) { columns in
            if case .file(let name)? = ExternalValue(columns.bytes(0)),
                external.folder.byteCount(of: name) == nil
            {
                missing.append(
                    .init(
                        entity: entity.name, key: columns.integer(1), attribute: attribute.name,
                        path: external.folder.path(of: name)))
            }
        }
        return missing
    }
}
