import CLMDB

/// One of the store's tables, by the engine's handle.
///
/// ```
///   meta      name                                   → what the store says about itself
///   saves     number of a save                       → its identifier, but for the newest ones, see SaveLog
///   rows-N    primary key                            → a row, see RowRecord
///   index     index number, encoded values, key      → nothing but a checksum
///   edges     relationship number, source, destination → a checksum, and a number where there is an order
///   history   see HistoryTable
/// ```
///
/// The engine's main table has their names, and one record besides: the newest saves.
struct Table: Sendable, Hashable {
    let handle: MDB_dbi

    /// The names under which the engine knows the tables.
    enum Name {
        static let meta = "meta"
        static let saves = "saves"
        /// A record of the main table. The check of a file knows a store by the first name, which
        /// stays "edges".
        static let newestSaves = Array("newest".utf8)
        static let index = "index"
        static let edges = "edges"
        static let history = "history"
        static func rows(_ number: Int) -> String { "rows-\(number)" }
    }
}
