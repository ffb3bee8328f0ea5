import DuramenModel
import DuramenSQL
import DuramenStore

/// Where the pairs of one new many-to-many come from.
struct PairMigration {
    /// The new table, as its naming side sees it.
    let table: SQLPairTable
    /// The old table that becomes it, as the same side saw it; nil when it is made.
    private(set) var carried: SQLPairTable?
    /// Pairs to copy: from a table, and its two columns in the order of owner and destination.
    private var copied: [(table: String, owner: String, destination: String, condition: String)] =
        []

    /// - Parameter taken: Old tables that became others already.
    init?(
        _ side: RelationshipID, _ change: SchemaChange, old: AppleSchema, new: AppleSchema,
        taken: inout Set<String>
    ) {
        guard let made = new.pairs(of: side) else { return nil }
        table = made
        for id in change.sourceRelationships[side.index] {
            let before = change.source[id]
            if let pairs = old.pairs(of: id) {
                if carried == nil, !taken.contains(pairs.table),
                    pairs.isReflexive == table.isReflexive
                {
                    taken.insert(pairs.table)
                    carried = pairs
                } else {
                    copied.append((pairs.table, pairs.ownerColumn, pairs.destinationColumn, ""))
                    if table.isReflexive, !pairs.isReflexive {
                        copied.append((pairs.table, pairs.destinationColumn, pairs.ownerColumn, ""))
                    }
                }
                continue
            }
            // A to-one is known on one side; that side's rows are the owners.
            let isOwner = before.slot != nil
            let toOne = isOwner ? before : change.source[before.inverse]
            guard let slot = toOne.slot else { continue }
            let key = old.column(slot: slot, of: toOne.declaringEntity)
            let family = change.source[toOne.declaringEntity].family.map {
                String(old.number(of: $0))
            }
            let condition =
                " AND t.Z_ENT IN (\(family.joined(separator: ", ")))"
            let rows = old.table(of: toOne.declaringEntity)
            copied.append(
                isOwner
                    ? (rows, "\"Z_PK\"", key, condition) : (rows, key, "\"Z_PK\"", condition))
            if table.isReflexive {
                copied.append((rows, key, "\"Z_PK\"", condition))
            }
        }
    }

    /// - Parameter name: What an old table is called now.
    func copyStatements(_ name: (String) -> String) -> [String] {
        copied.map { pairs in
            "INSERT OR IGNORE INTO \(table.table) (\(table.ownerColumn), \(table.destinationColumn)) "
                + "SELECT t.\(pairs.owner), t.\(pairs.destination) FROM \(name(pairs.table)) AS t "
                + "WHERE t.\(pairs.owner) IS NOT NULL AND t.\(pairs.destination) IS NOT NULL"
                + pairs.condition
        }
    }

    /// Brings the columns of a table that has its new name already to their new names.
    var changeStatements: [String] {
        guard let carried else { return [] }
        let olds = [
            carried.ownerColumn, carried.destinationColumn, carried.orderColumn,
            carried.inverseOrderColumn,
        ]
        let news = [
            table.ownerColumn, table.destinationColumn, table.orderColumn,
            table.inverseOrderColumn,
        ]
        if olds == news { return [] }
        let alter = "ALTER TABLE \(table.table) "
        var statements: [String] = []
        var endings: [String] = []
        for (place, (old, new)) in zip(olds, news).enumerated() {
            let passing = "\"DURAMEN_\(place)\""
            switch (old, new) {
            case (let old?, let new?) where old != new:
                statements.append(alter + "RENAME COLUMN \(old) TO \(passing)")
                endings.append(alter + "RENAME COLUMN \(passing) TO \(new)")
            case (let old?, nil):
                statements.append(alter + "DROP COLUMN \(old)")
            case (nil, let new?):
                endings.append(alter + "ADD COLUMN \(new) INTEGER")
            default: break
            }
        }
        return statements + endings
    }
}
