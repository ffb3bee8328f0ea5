import DuramenModel
import DuramenSQL

/// The changes of all tables of a file.
struct TableChanges {
    /// Tables that keep their rows.
    private(set) var kept: [TableMigration] = []
    /// New tables, with rows of old ones.
    private(set) var moved: [TableMigration] = []
    /// New tables without rows.
    private(set) var added: [TableMap] = []
    /// Tables of many-to-manys.
    private(set) var pairs: [PairMigration] = []
    /// The new names of the kept tables, by the old ones.
    private(set) var heirs: [String: String] = [:]

    init(_ expressions: SlotExpressions) {
        let (change, old, new) = (expressions.change, expressions.old, expressions.new)
        for root in change.roots {
            let table = new.tableMap(of: root.root)
            guard let source = root.source else {
                added.append(table)
                continue
            }
            let before = old.tableMap(of: source)
            let migration = TableMigration(
                expressions, from: before, to: table, isInPlace: root.keepsTable)
            if root.keepsTable {
                heirs[before.quoted] = table.quoted
                kept.append(migration)
            } else {
                moved.append(migration)
            }
        }
        var taken: Set<String> = []
        pairs = new.namingSides.compactMap {
            PairMigration($0, change, old: old, new: new, taken: &taken)
        }
        for pair in pairs {
            if let carried = pair.carried { heirs[carried.table] = pair.table.table }
        }
    }

    /// The tables whose rows are written or deleted. Renaming a table or a column writes no rows.
    func written(by change: SchemaChange) -> [TableMigration] {
        let all = moved + kept
        let places = Set(
            all.filter { migration in
                moved.contains { $0.oldTable.name == migration.oldTable.name }
                    || migration.writesRows
                    || migration.oldTable.entities.contains { change.targetEntity($0) == nil }
            }.map(\.oldTable.name))
        return all.filter { places.contains($0.oldTable.name) }
    }
}
