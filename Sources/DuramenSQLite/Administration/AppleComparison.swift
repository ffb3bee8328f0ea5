import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// Lists all differences between a file and the files that Core Data creates for a model.
struct AppleComparison {
    private let connection: Connection
    private let model: ManagedObjectModel
    /// One line for each difference.
    private(set) var differences: [String] = []

    init(_ connection: Connection, _ model: ManagedObjectModel) throws(StoreError) {
        self.connection = connection
        self.model = model
        try compareFile()
        try compareMetadata()
        let list = try EntityList(connection).ofModel
        let schema = try compareEntities(
            list, MetadataTable(connection: connection).metadata().storeUUID)
        let tables = try columns()
        compareTables(tables, schema)
        if let schema {
            try compareIndexes(schema)
            for table in schema.tables where tables[StoredText(table.quoted)] != nil {
                try compareRows(of: table, list, schema)
            }
        }
        compareAttributes()
    }

    private mutating func note(_ difference: String) { differences.append(difference) }

    // MARK: - The file

    private mutating func compareFile() throws(StoreError) {
        let settings = [
            ("page_size", "4096"), ("auto_vacuum", "2"), ("encoding", "UTF-8"),
            ("user_version", "0"), ("application_id", "0"), ("journal_mode", "wal"),
        ]
        for (name, usual) in settings {
            let value = try connection.texts("PRAGMA \(name)").first ?? ""
            if value != usual { note("file: \(name) is \(value), not \(usual)") }
        }
    }

    private mutating func compareMetadata() throws(StoreError) {
        let table = MetadataTable(connection: connection)
        let list = try table.read().list
        let format = try table.formatVersion() ?? 0
        let isEarlier = try !table.isAdopted() && format < MetadataTable.firstFormatWithoutHashes
        if list["NSStoreModelVersionHashes"] == nil || isEarlier {
            note(
                "metadata: there are no version hashes of Core Data's, without which it does not open the "
                    + "store; give them with appleVersionHashes(_:)")
        }
        for name in ["NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"]
        where list[name] == nil { note("metadata: there is no \(name)") }
        if let level = list["_NSAutoVacuumLevel"] as? String, level != "2" {
            note("metadata: _NSAutoVacuumLevel is \(level), not 2")
        }
        for name in list.keys.sorted() where name.hasPrefix("Duramen") {
            note("metadata: \(name) is Duramen's")
        }
        if try !ModelCacheTable(connection: connection).isFilled() {
            note("Z_MODELCACHE: there is no model")
        }
    }

    // MARK: - Entities

    /// - Returns: The tables as Core Data would name them; nil when entities of the model are
    ///   missing.
    private mutating func compareEntities(
        _ list: [EntityList.Entry], _ uuid: UUID
    ) throws(StoreError) -> AppleSchema? {
        let known = Dictionary(
            list.map { (StoredText($0.name), $0.number) }, uniquingKeysWith: { first, _ in first })
        let usual = AppleNaming.entityNumbers(of: model)
        var numbers: [Int] = []
        for entity in model.entities {
            guard let number = known[StoredText(entity.name)] else {
                note("\(entity.name): it has no number")
                return nil
            }
            numbers.append(number)
        }
        if numbers != usual {
            note("Z_PRIMARYKEY: the numbers of the entities are not in the order of their names")
        }
        return AppleSchema(model: model, store: StoreHandle(uuid: uuid), numbers: numbers)
    }

    // MARK: - Tables and indexes

    private mutating func compareTables(
        _ found: [StoredText: [StoredText]], _ schema: AppleSchema?
    ) {
        var tables = found
        for name in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"] {
            if tables.removeValue(forKey: quote(name)) == nil {
                note("\(name): there is no such table")
            }
        }
        for name in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
            tables.removeValue(forKey: quote(name))
        }
        for (name, columns) in schema?.layout ?? [] {
            guard let found = tables.removeValue(forKey: StoredText(name)) else {
                note("\(name): there is no such table")
                continue
            }
            let expected = columns.map { StoredText($0) }
            if found == expected { continue }
            for column in expected where !found.contains(column) {
                note("\(name): there is no column \(column)")
            }
            for column in found where !expected.contains(column) {
                note("\(name): the column \(column) is not of the model")
            }
            if Set(found) == Set(expected) { note("\(name): the columns have another order") }
        }
        for name in tables.keys.sorted() { note("\(name): Core Data has no such table") }
    }

    /// The columns of every table of the file, with their types; names are quoted.
    private func columns() throws(StoreError) -> [StoredText: [StoredText]] {
        let source =
            "FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' "
            + "AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid, c.cid"
        func quoted(_ name: String) -> String { "'\"' || replace(\(name), '\"', '\"\"') || '\"'" }
        let tables = try texts("SELECT \(quoted("m.name")) \(source)")
        let columns = try texts("SELECT \(quoted("c.name")) || ' ' || c.type \(source)")
        return Dictionary(grouping: zip(tables, columns), by: \.0).mapValues { $0.map(\.1) }
    }

    private func quote(_ name: String) -> StoredText { StoredText(SQLiteDialect().quote(name)) }

    private mutating func compareIndexes(_ schema: AppleSchema) throws(StoreError) {
        var found = Set(
            try texts(
                "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
                    + "AND tbl_name LIKE 'Z%'"))
        for index in schema.indexes where found.remove(StoredText(index.name)) == nil {
            note("\(index.name): there is no such index")
        }
        for name in found.sorted() { note("\(name): the model has no such index") }
    }

    // MARK: - Rows

    private mutating func compareRows(
        of table: TableMap, _ list: [EntityList.Entry], _ schema: AppleSchema
    ) throws(StoreError) {
        let last = try connection.integer("SELECT MAX(Z_PK) FROM \(table.quoted)") ?? 0
        let given = list.first { $0.number == table.rootNumber }?.maximumKey ?? 0
        if given != last {
            note("\(table.quoted): Z_MAX is \(given), and the highest key \(last)")
        }
        let numbers = table.entities.map { String(schema.number(of: $0)) }.joined(separator: ", ")
        let foreign = try count(table, "Z_ENT NOT IN (\(numbers))")
        if foreign > 0 { note("\(table.quoted): \(foreign) row(s) are of no entity of it") }
        let versions = try count(table, "ifnull(Z_OPT, 0) < 1")
        if versions > 0 { note("\(table.quoted): \(versions) row(s) have no version in Z_OPT") }
    }

    private mutating func compareAttributes() {
        for entity in model.entities {
            for attribute in entity.attributes where attribute.declaringEntity == entity.id {
                let name = "\(entity.name).\(attribute.name)"
                if attribute.derivation != nil {
                    note(
                        "\(name): no triggers of Core Data's keep the derived attribute up to date")
                }
                if attribute.codableType != nil, attribute.valueTransformerName == nil {
                    note("\(name): its values are JSON, which Core Data takes for data")
                }
            }
        }
    }

    private func count(_ table: TableMap, _ condition: String) throws(StoreError) -> Int64 {
        try connection.integer("SELECT COUNT(*) FROM \(table.quoted) WHERE \(condition)") ?? 0
    }

    private func texts(_ sql: String) throws(StoreError) -> [StoredText] {
        try connection.texts(sql).map { StoredText($0) }
    }
}

extension AppleSchema {
    /// Every table of the model with its columns and their types, in order.
    fileprivate var layout: [(name: String, columns: [String])] {
        let own = tables.map { table in
            let columns = SchemaStatements.ordered(table.columns)
            return (
                table.quoted,
                ["\"Z_PK\" INTEGER", "\"Z_ENT\" INTEGER", "\"Z_OPT\" INTEGER"]
                    + columns.map { "\($0.quoted) \($0.type)" }
            )
        }
        let pairs = namingSides.compactMap { self.pairs(of: $0) }.map { pairs in
            (pairs.table, SchemaStatements.columns(of: pairs).map { "\($0) INTEGER" })
        }
        return own + pairs
    }
}
