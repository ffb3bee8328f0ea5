import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore

/// Compares a file with the model before its first use.
struct SchemaCheck {
    let connection: Connection
    let model: ManagedObjectModel

    func isEmpty() throws(StoreError) -> Bool {
        try connection.integer("SELECT COUNT(*) FROM sqlite_master") == 0
    }

    func hasOwnTables() throws(StoreError) -> Bool {
        try connection.integer(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' "
                + "AND name IN ('DURAMEN_SAVE', 'DURAMEN_DECIMAL')") == 2
    }

    func foreign(_ reason: String) -> StoreError {
        StoreError(
            .foreignFile,
            "'\(connection.path)' is an SQLite database but not a store: \(reason). Name another file."
        )
    }

    /// Rejects files of other programs, and schema objects that could run code.
    func checkForeignObjects(isReadOnly: Bool) throws(StoreError) {
        let tables = try connection.integer(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' "
                + "AND name IN ('Z_METADATA', 'Z_PRIMARYKEY')")
        if tables != 2 { throw foreign("it has no Z_METADATA and Z_PRIMARYKEY") }
        if try connection.texts("PRAGMA encoding").first != "UTF-8" {
            throw foreign("its text is not UTF-8")
        }
        if let view = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'view'")
            .first
        {
            throw foreign("it has a view, '\(view)'")
        }
        let code = try connection.texts(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' OR sql LIKE 'CREATE VIRTUAL%'")
        if let name = code.first, !isReadOnly {
            throw StoreError(
                .unsupported,
                "'\(connection.path)' has '\(name)', which only Core Data keeps up to date; open the "
                    + "store for reading only.")
        }
    }

    /// Returns the schema with the file's own entity numbers, all of whose tables and columns
    /// exist.
    func schema() throws(StoreError) -> AppleSchema {
        let schema = try uncheckedSchema()
        try checkColumns(schema)
        return schema
    }

    /// Returns the schema of a file in which tables or columns may be missing.
    func uncheckedSchema() throws(StoreError) -> AppleSchema {
        let metadata = MetadataTable(connection: connection)
        let format = try metadata.formatVersion()
        if let format, format > MetadataTable.formatVersion {
            throw StoreError(
                .newerFormat,
                "'\(connection.path)' has format \(format) and this version of Duramen reads up to "
                    + "\(MetadataTable.formatVersion); use a newer version.")
        }
        let stored = try metadata.metadata()
        if let format { try checkHashes(stored, format) }
        let existing = try metadata.isAdopted() ? ExistingTables(connection) : nil
        return AppleSchema(
            model: model, store: StoreHandle(uuid: stored.storeUUID), numbers: try numbers(),
            pairNaming: try metadata.pairNaming(), existing: existing)
    }

    /// Checks that writing would keep everything: throws for orders and references that the model
    /// does not have.
    func checkWritable(_ schema: AppleSchema) throws(StoreError) {
        if schema.isOwnFile { return }
        let pairs = schema.namingSides.compactMap { schema.pairs(of: $0) }
        let known = Set(
            schema.tables.flatMap { table in
                table.columns.map { table.quoted + "." + $0.quoted }
            }
                + pairs.flatMap { pairs in
                    [pairs.orderColumn, pairs.inverseOrderColumn].compactMap { column in
                        column.map { pairs.table + "." + $0 }
                    }
                })
        let ordered = try connection.texts(
            "SELECT '\"' || m.name || '\".\"' || c.name || '\"' "
                + "FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
                + "WHERE m.type = 'table' AND c.name LIKE 'Z\\_FOK\\_%' ESCAPE '\\'")
        if let column = ordered.first(where: { !known.contains($0) }) {
            throw StoreError(
                .unsupported,
                "'\(connection.path)' keeps an order in \(column) that the model does not know, so "
                    + "saves would not update it. Open the store for reading only, or give the model the "
                    + "ordered relationship.")
        }
        let missing = schema.tables.lazy.flatMap(\.columns).first(where: \.isMissing)
        if let missing {
            throw StoreError(
                .unsupported,
                "'\(connection.path)' has no column '\(missing.name)', without which a reference to an "
                    + "entity with sub-entities cannot be written; open the store for reading only."
            )
        }
        try checkTransformers()
        try checkCachedModel()
    }

    /// Checks that a Core Data file keeps a model of this version, because new rows would lack the
    /// properties that the model leaves out.
    private func checkCachedModel() throws(StoreError) {
        guard
            let cached = try? ModelCacheTable(connection: connection).storedModel(
                codableTypes: [], transformers: model.transformers
            ).model
        else { return }
        var names: [String] = []
        for entity in cached.entities {
            guard let own = model.entity(named: entity.name) else {
                names.append(entity.name)
                continue
            }
            if entity.storedNames != own.storedNames { names.append(entity.name) }
        }
        if !names.isEmpty { throw incompatible(names) }
    }

    /// Checks that no attribute would store JSON where Core Data expects an archive.
    private func checkTransformers() throws(StoreError) {
        for entity in model.entities {
            let unknown = entity.attributes.first { attribute in
                attribute.declaringEntity == entity.id && attribute.codableType != nil
                    && attribute.valueTransformerName.flatMap { model.transformers[$0] } == nil
            }
            guard let unknown else { continue }
            throw StoreError(
                .unsupported,
                "'\(connection.path)' is Core Data's, and '\(entity.name).\(unknown.name)' names no "
                    + "known transformer. Its values would be JSON, which Core Data "
                    + "cannot read. Name one with transformed(by:), or open the store for reading only."
            )
        }
    }

    private func checkHashes(_ stored: StoreMetadata, _ format: Int) throws(StoreError) {
        let names = model.entities(
            unlike: stored.modelChecksum, stored.entityVersionHashes,
            omitsReferences: format < MetadataTable.firstFormatWithReferences)
        if !names.isEmpty { throw incompatible(names) }
    }

    private func incompatible(_ names: [String]) -> StoreError {
        let list = names.sorted { StoredText($0) < StoredText($1) }.map { "'\($0)'" }
        return StoreError(
            .incompatibleModel,
            "'\(connection.path)' was written with another version of the model; these entities "
                + "differ: \(list.joined(separator: ", ")). Open it with that model, or migrate it."
        )
    }

    private func numbers() throws(StoreError) -> [Int] {
        var entries: [StoredText: EntityList.Entry] = [:]
        for entry in try EntityList(connection).ofModel { entries[StoredText(entry.name)] = entry }
        var result: [Int] = []
        var missing: [String] = []
        for entity in model.entities {
            let parent = entity.superentity.map { entries[StoredText(model[$0].name)]?.number } ?? 0
            if let entry = entries[StoredText(entity.name)], entry.parent == parent {
                result.append(entry.number)
            } else {
                missing.append(entity.name)
            }
        }
        if !missing.isEmpty { throw incompatible(missing) }
        return result
    }

    /// Checks that every table and column for statements exists.
    private func checkColumns(_ schema: AppleSchema) throws(StoreError) {
        var missing: Set<String> = []
        for table in schema.tables {
            let columns = Set(
                try connection.texts(
                    "SELECT name FROM pragma_table_info(\(SQLQuoting.literal(table.name)))"))
            let wanted =
                ["Z_PK", "Z_ENT", "Z_OPT"]
                + table.columns.filter { !$0.isMissing }.map(\.name)
            if !wanted.allSatisfy(columns.contains) { missing.insert(model[table.root].name) }
        }
        for side in schema.namingSides {
            guard let pairs = schema.pairs(of: side) else { continue }
            do throws(StoreError) {
                let columns = [
                    pairs.ownerColumn, pairs.destinationColumn, pairs.orderColumn,
                    pairs.inverseOrderColumn,
                ].compactMap { $0 }.joined(separator: ", ")
                _ = try connection.prepare("SELECT \(columns) FROM \(pairs.table)")
            } catch {
                missing.insert(model[model[side].declaringEntity].name)
            }
        }
        if missing.isEmpty { return }
        // A file that Core Data created may have another version of the model.
        let metadata = try MetadataTable(connection: connection).metadata()
        if !schema.isOwnFile || metadata.modelChecksum != model.versionChecksum {
            throw incompatible(Array(missing))
        }
        let list = missing.sorted { StoredText($0) < StoredText($1) }.map { "'\($0)'" }
        throw StoreError(
            .damagedFile,
            "'\(connection.path)' is of this version of the model and lacks tables or columns of "
                + "\(list.joined(separator: ", ")). Restore a copy, or add them without values: "
                + "duramen migrate --repair-schema.")
    }
}

extension Entity {
    /// The names of the properties in rows, including inherited ones.
    fileprivate var storedNames: Set<StoredText> {
        Set(
            attributes.map { StoredText($0.name) }
                + relationships.filter { !$0.isHidden }.map { StoredText($0.name) })
    }
}
