import DuramenFileStore
import DuramenModel
import DuramenStore

extension StoreWriter {
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        guard core.schema.model.entities.indices.contains(entity.index), count >= 0 else {
            throw StoreError(.invalidRequest, "The entity is not in the store's model.")
        }
        let table = core.schema.tableIndexes[entity.index]
        if let ready = try takeLeasedKeys(count, table) { return ready }
        return try withWriter { (source, _) throws(StoreError) in
            if let range = leases[table].take(count) { return range }
            let size = leases[table].nextSize(count)
            let range = try transaction(source) { () throws(StoreError) in
                try lease(size, table, source.connection)
            }
            leases[table].add(range)
            guard let result = leases[table].take(count) else {
                throw StoreError(.io, "No keys could be leased from '\(core.path)'.")
            }
            return result
        }
    }

    /// Allocates keys within the current transaction.
    func allocateKeys(
        _ count: Int, for entity: EntityID, within connection: Connection
    ) throws(StoreError) -> Range<Int64> {
        try lease(count, core.schema.tableIndexes[entity.index], connection)
    }

    private func lease(
        _ count: Int, _ table: Int, _ connection: Connection
    ) throws(StoreError) -> Range<Int64> {
        let map = core.schema.tables[table]
        let given =
            try connection.integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(map.rootNumber)") ?? 0
        // In some files Z_MAX is lower than keys of rows.
        let used = try connection.integer("SELECT MAX(Z_PK) FROM \(map.quoted)") ?? 0
        let last = max(given, used, 0)
        let (end, overflows) = last.addingReportingOverflow(Int64(count))
        if overflows {
            throw StoreError(.tooLarge, "The keys of a table of '\(core.path)' are used up.")
        }
        try connection.execute(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = \(end) WHERE Z_ENT = \(map.rootNumber)")
        return (last + 1)..<(end + 1)
    }

    /// Raises Z_MAX above keys that were not leased here, as for converted rows.
    func raiseLastKeys(
        _ rows: RowList, _ connection: Connection
    ) throws(StoreError) {
        if rows.isEmpty { return }
        let tables = core.schema.tableIndexes
        var highest: [Int64] = Array(repeating: 0, count: leases.count)
        for place in rows.indices {
            let table = tables[rows.entityIndex(at: place)]
            highest[table] = max(highest[table], rows.key(at: place))
        }
        for (table, key) in highest.enumerated() where key > 0 {
            leases[table].skip(through: key)
            if key < leases[table].end { continue }
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = max(ifnull(Z_MAX, 0), \(key)) "
                    + "WHERE Z_ENT = \(core.schema.tables[table].rootNumber)")
        }
    }
}
