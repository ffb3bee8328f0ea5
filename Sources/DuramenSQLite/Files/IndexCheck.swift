import DuramenModel
import DuramenSQL
import DuramenStore

/// Compares the indexes of a file with those of the model, which may change without a new version.
struct IndexCheck {
    let connection: Connection
    let schema: AppleSchema

    /// The necessary changes.
    struct Findings {
        /// Statements that drop obsolete indexes and create new ones.
        var repairs: [String] = []
        /// Indexes into the schema's list of to-one indexes, which are created when they are
        /// needed.
        var missingToOnes: Set<Int> = []
    }

    func findings() throws(StoreError) -> Findings {
        let names = try column("name")
        let definitions = try column("sql")
        let tables = try column("tbl_name")
        var existing: [StoredText: String] = [:]
        var findings = Findings()
        var wanted: [StoredText: String] = [:]
        for index in schema.indexes { wanted[StoredText(index.name)] = index.definition }
        // If rows share values, the index of a constraint is not changed.
        let present = Set(definitions)
        for index in schema.indexes where index.isUnique {
            if present.contains(index.unenforcedDefinition), try areShared(index) {
                wanted[StoredText(index.name)] = index.unenforcedDefinition
            }
        }
        for place in names.indices {
            let name = StoredText(names[place])
            let isCurrent = wanted[name] == definitions[place]
            // Indexes in Core Data's own files are kept, since Core Data spells them differently.
            if isCurrent || !schema.isOwnFile || !isOurs(names[place], on: tables[place]) {
                existing[name] = definitions[place]
            } else {
                let quoted = SQLiteDialect().quote(names[place])
                findings.repairs.append("DROP INDEX IF EXISTS \(quoted)")
            }
        }
        for (place, index) in schema.indexes.enumerated()
        where existing[StoredText(index.name)] == nil {
            if index.toOne != nil {
                findings.missingToOnes.insert(place)
            } else if schema.isOwnFile {
                findings.repairs.append(
                    try areShared(index) ? index.unenforcedDefinition : index.definition)
            }
        }
        return findings
    }

    /// The constraints that the engine does not enforce. Rows shared values when the index was
    /// created, or a Core Data file lacks the index.
    func unenforcedConstraints() throws(StoreError) -> Set<UniquenessConstraint> {
        let enforced = Set(
            try connection.texts(
                "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE %'"
            ).map { StoredText($0) })
        return Set(
            schema.indexes.filter { !enforced.contains(StoredText($0.name)) }
                .compactMap(\.constraint))
    }

    /// Whether rows share values that a unique index forbids.
    private func areShared(_ index: IndexMap) throws(StoreError) -> Bool {
        guard let query = index.sharingQuery else { return false }
        return try connection.integer(query) != nil
    }

    private func column(_ name: String) throws(StoreError) -> [String] {
        try connection.texts(
            "SELECT \(name) FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
                + "ORDER BY rowid")
    }

    /// Whether an index has a name that only the layout gives.
    private func isOurs(_ name: String, on table: String) -> Bool {
        if name.hasPrefix(table + "_"), name.hasSuffix("_INDEX") { return true }
        guard let map = schema.tables.first(where: { $0.name == table }) else { return false }
        return map.entities.contains { name.hasPrefix("Z_\(schema.model[$0].name)_") }
    }
}
