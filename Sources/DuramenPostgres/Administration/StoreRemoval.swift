import DuramenSQL
import DuramenStore

/// Drops the tables of a store and its schema, and nothing else.
struct StoreRemoval {
    private let catalog: Catalog

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// Drops them, within a transaction.
    ///
    /// - Throws: `.foreignFile` if something that is not the store's is in the schema, or depends
    ///   on it. The transaction has failed then.
    func run() throws(StoreError) {
        let known = try catalog.knownNames()
        let tables = OwnTable.allCases.map(\.rawValue) + known.tables.values + known.pairs.values
        _ = try catalog.run("DROP TABLE IF EXISTS \(list(tables))")
        _ = try catalog.run("DROP SEQUENCE IF EXISTS \(list(OwnSequence.allCases.map(\.rawValue)))")
        // Refused as long as something is in it.
        _ = try catalog.run("DROP SCHEMA \(catalog.schema)")
    }

    private func list(_ names: [String]) -> String {
        names.map { "\(catalog.schema).\(SQLQuoting.identifier($0))" }.joined(separator: ", ")
    }
}
