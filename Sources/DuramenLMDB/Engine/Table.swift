import CLMDB

/// One of the store's tables, by the engine's handle.
///
/// ```
///   meta      name                                     → information about the store
///   saves     number of a save                         → its identifier; newest: see SaveLog
///   rows-N    primary key                              → a row, see RowRecord
///   index     index number, encoded values, key        → only a checksum
///   edges     relationship number, source, destination → a checksum, and a number if ordered
///   history   see HistoryTable
/// ```
///
/// The engine's main table has their names, and one more record: the newest saves.
struct Table: Sendable, Hashable {
    let handle: MDB_dbi

    /// The names of the tables in the engine.
    enum Name {
        static let meta = "meta"
        static let saves = "saves"
        /// A record of the main table. The check of a file recognizes a store by the first name,
        /// which must stay "edges".
        static let newestSaves = Array("newest".utf8)
        static let index = "index"
        static let edges = "edges"
        static let history = "history"
        static func rows(_ number: Int) -> String { "rows-\(number)" }
    }
}
