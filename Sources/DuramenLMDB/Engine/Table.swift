import CLMDB

/// One of the store's tables, by the engine's handle.
///
/// ```
///   meta      name                                   → what the store says about itself
///   saves     number of a save                       → its identifier
///   rows-N    primary key                            → a row, see RowRecord
///   index     index number, encoded values, key      → nothing but a checksum
///   edges     relationship number, source, destination → a checksum, and a number where there is an order
///   history   see HistoryTable
/// ```
struct Table: Sendable, Hashable {
    let handle: MDB_dbi

    /// The names under which the engine knows the tables.
    enum Name {
        static let meta = "meta"
        static let saves = "saves"
        static let index = "index"
        static let edges = "edges"
        static let history = "history"
        static func rows(_ number: Int) -> String { "rows-\(number)" }
    }
}
