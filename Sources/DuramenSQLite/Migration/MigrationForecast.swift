import DuramenModel
import DuramenSQL
import DuramenStore

/// Estimates the cost of a migration from the numbers of rows only.
///
/// The times are those of plain statements on a million rows of twelve columns.
struct MigrationForecast {
    let connection: Connection
    let change: SchemaChange
    let old: AppleSchema

    func estimate() throws(StoreError) -> MigrationEstimate {
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        let fileBytes = Int(pages * (try connection.integer("PRAGMA page_size") ?? 0))
        var rows: [Int] = []
        for table in old.tables {
            let last = try connection.integer("SELECT MAX(Z_PK) FROM \(table.quoted)") ?? 0
            // Keys may have any value, but a row takes at least some bytes.
            rows.append(Int(max(0, min(last, Int64(fileBytes / 8)))))
        }
        let all = max(rows.reduce(0, +), 1)
        var estimate = MigrationEstimate(storeBytes: fileBytes)
        /// A pass over a part of the rows writes about as many bytes as they have.
        func add(_ table: EntityID, _ secondsPerMillion: Double, passes: Int = 1) {
            if passes == 0 { return }
            let count = rows[old.tableIndexes[table.index]]
            let share = Int(Double(fileBytes) * Double(count) / Double(all))
            estimate.add(
                rows: count * passes, secondsPerMillion: secondsPerMillion, bytes: share * passes)
        }
        if !old.isOwnFile {
            // All data is written into a new file, and copied from there.
            for table in old.tables { add(table.root, 12, passes: 3) }
            return estimate
        }
        let new = AppleSchema(
            model: change.target, store: old.store,
            numbers: try EntityNumbers(connection: connection, change: change, old: old).new())
        let expressions = SlotExpressions(change: change, old: old, new: new)
        for root in change.roots {
            guard let source = root.source else { continue }
            let table = TableMigration(
                expressions, from: old.tableMap(of: source), to: new.tableMap(of: root.root),
                isInPlace: root.keepsTable)
            if !root.keepsTable {
                add(source, 3.4)
                continue
            }
            if table.columns.contains(where: { !$0.values.isEmpty }) { add(source, 0.8) }
            add(source, 1.5, passes: table.dropped.count)
        }
        for table in old.tables
        where table.entities.contains(where: { change.targetEntity($0) == nil }) {
            add(table.root, 0.8)
        }
        for relationship in change.target.relationships where new.pairs(of: relationship.id) != nil
        {
            for id in change.sourceRelationships[relationship.id.index]
            where old.pairs(of: id) == nil {
                add(change.source[id].declaringEntity, 1)
            }
        }
        for link in change.links { add(change.source[link.relationship].declaringEntity, 4) }
        for rows in change.rows.compactMap(\.self) where rows.computesValues {
            if let source = change.sourceEntities[rows.entity.index] { add(source, 10) }
        }
        let kept = Set(old.indexes.map(\.definition))
        for index in new.indexes where index.toOne == nil && !kept.contains(index.definition) {
            let root = new.tables.first { index.target.hasPrefix("ON \($0.quoted) ") }?.root
            guard let root, let source = change.roots.first(where: { $0.root == root })?.source
            else {
                continue
            }
            let count = rows[old.tableIndexes[source.index]]
            estimate.add(rows: count, secondsPerMillion: 0.7, bytes: count * 24)
        }
        return estimate
    }
}
