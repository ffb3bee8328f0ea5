import DuramenFileStore
public import DuramenModel
import DuramenSQL
public import DuramenStore

extension SQLiteStoreType {
    /// Adds missing tables and columns to a store of the current model version, for example after
    /// another program dropped them. They are empty, because their data is lost.
    ///
    /// Opening such a store throws `.damagedFile` and repairs nothing. If there is a backup,
    /// restore it instead.
    ///
    /// - Parameters:
    ///   - description: Which store.
    ///   - model: The store's model.
    /// - Returns: One line for each table or column that was added. Empty if none was missing.
    /// - Throws: `.incompatibleModel` when the store has another version of the model; `.storeBusy`
    ///   when another process writes to it for longer than the time-out; `.readOnly`.
    @discardableResult
    public func repairSchema(
        of description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> [String] {
        if description.isReadOnly {
            throw StoreError(
                .readOnly, "'\(description.location)' is described as for reading only.")
        }
        // Checks that the store exists, before a lock file is created beside it.
        _ = try metadata(of: description)
        let lock = try StoreFileLock(
            storePath: description.location, timeoutSeconds: description.boundedTimeoutSeconds)
        return try lock.withLock { () throws(StoreError) in
            let connection = try ClosedStore(description).connect(isReadOnly: false)
            var added: [String] = []
            try connection.transaction { () throws(StoreError) in
                added = try SchemaRepair(connection: connection, model: model).run()
            }
            return added
        }
    }
}

/// Adds the missing parts of a model's layout to a file.
private struct SchemaRepair {
    let connection: Connection
    let model: ManagedObjectModel

    func run() throws(StoreError) -> [String] {
        let check = SchemaCheck(connection: connection, model: model)
        let schema = try check.uncheckedSchema()
        guard schema.isOwnFile else {
            throw StoreError(
                .unsupported,
                "'\(connection.path)' is Core Data's; what it lacks, only Core Data can add.")
        }
        var added: [String] = []
        for table in schema.tables {
            let columns = table.columns.map { (name: $0.quoted, type: $0.type) }
            try add(
                table.quoted, SchemaStatements.table(table),
                [("\"Z_ENT\"", "INTEGER"), ("\"Z_OPT\"", "INTEGER")] + columns, &added)
        }
        for pairs in schema.namingSides.compactMap({ schema.pairs(of: $0) }) {
            try add(
                pairs.table, SchemaStatements.pairs(pairs),
                SchemaStatements.columns(of: pairs).map { ($0, "INTEGER") }, &added)
        }
        // Indexes are created when the store is opened next.
        return added
    }

    private func add(
        _ table: String, _ creation: String, _ columns: [(name: String, type: String)],
        _ added: inout [String]
    ) throws(StoreError) {
        guard try isThere("SELECT 1 FROM \(table) LIMIT 0") else {
            try connection.execute(creation)
            return added.append(table)
        }
        for (name, type) in columns
        where try !isThere("SELECT t.\(name) FROM \(table) AS t LIMIT 0") {
            try connection.execute("ALTER TABLE \(table) ADD COLUMN \(name) \(type)")
            added.append("\(table).\(name)")
        }
    }

    private func isThere(_ query: String) throws(StoreError) -> Bool {
        do throws(StoreError) {
            _ = try connection.prepare(query)
            return true
        } catch {
            if error.detail?.contains("no such") == true { return false }
            throw error
        }
    }
}
