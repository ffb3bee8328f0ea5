import DuramenStore

/// The engine's main table: the names of the store's tables, and one record.
struct MainTable {
    private let transaction: Transaction

    init(_ transaction: Transaction) { self.transaction = transaction }

    /// - Throws: `.damagedFile` when a table has an unknown name. A flipped bit in a name would
    ///   hide a whole table, or the history.
    func check() throws(StoreError) {
        let names =
            [
                Table.Name.meta, Table.Name.saves, Table.Name.index, Table.Name.edges,
                Table.Name.history,
            ].map { Array($0.utf8) } + [Table.Name.newestSaves]
        let cursor = try transaction.cursor(try transaction.mainTable())
        var record = try cursor.first()
        while let found = record {
            let name = Array(found.key)
            guard names.contains(name) || name.starts(with: Array("rows-".utf8)) else {
                let (path, table) = (
                    transaction.environment.path, String(decoding: name, as: UTF8.self)
                )
                throw StoreError(
                    .damagedFile,
                    "'\(path)' has a table '\(table)', which no store has: its name was damaged, or "
                        + "another program made it. Restore a copy, or remove the table.")
            }
            record = try cursor.next()
        }
    }
}
