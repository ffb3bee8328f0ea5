import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore

/// Copies the rows of a damaged file that can be read into a new file, around what is damaged.
struct SalvageCopy {
    /// The new file, with the damaged one attached as `old`.
    private let connection: Connection
    private let path: String
    private var losses: [String] = []
    /// The highest key of an object. Damage can give a row a higher one.
    private var highestKey = Int64.max

    /// How many rows are copied at once, at most.
    private static let mostRows: Int64 = 500

    /// - Parameters:
    ///   - connection: A connection to the new, empty file.
    ///   - path: The path of the damaged file.
    init(into connection: Connection, from path: String) {
        self.connection = connection
        self.path = path
    }

    /// - Returns: The parts that could not be read.
    /// - Throws: `.damagedFile` when the list of tables cannot be read.
    mutating func run() throws(StoreError) -> [String] {
        try attach()
        let tables: [(name: String, sql: String)]
        do throws(StoreError) {
            tables = try list("type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        } catch {
            throw StoreError(
                .damagedFile,
                "The list of tables of '\(path)' is damaged, so that nothing can be read. Restore a backup.",
                detail: error.description)
        }
        if let highest = try? connection.integer("SELECT max(Z_MAX) FROM old.Z_PRIMARYKEY"),
            highest > 0
        {
            highestKey = highest
        }
        for table in tables {
            // A damaged list of tables can have any text.
            guard table.sql.hasPrefix("CREATE TABLE "), (try? connection.execute(table.sql)) != nil
            else {
                losses.append("The table '\(table.name)': its definition is damaged.")
                continue
            }
            if table.sql.uppercased().contains("WITHOUT ROWID") {
                copyAtOnce(table.name)
            } else {
                copyRows(of: table.name, through: table.sql.contains("Z_OPT") ? highestKey : .max)
            }
        }
        for index in (try? list("type = 'index' AND sql IS NOT NULL")) ?? []
        where index.sql.hasPrefix("CREATE ") {
            // Damage can give two rows a value that must be unique; the opening looks for that.
            try? connection.execute(index.sql)
        }
        try connection.execute("DETACH old")
        return losses
    }

    private func attach() throws(StoreError) {
        try connection.execute("PRAGMA synchronous=OFF")
        // Without a folder the engine would interpret ":memory:" and "file:…" as special names.
        let place = path.hasPrefix("/") ? path : "./" + path
        // Before the file is attached. Then a file that is cut short is read as far as it goes, and
        // the definition of one table may be damaged.
        try connection.execute("PRAGMA writable_schema=ON")
        try connection.execute("ATTACH \(SQLQuoting.literal(place)) AS old")
    }

    private func list(_ condition: String) throws(StoreError) -> [(name: String, sql: String)] {
        let names = try connection.texts(
            "SELECT name FROM old.sqlite_master WHERE \(condition) ORDER BY rowid")
        let statements = try connection.texts(
            "SELECT sql FROM old.sqlite_master WHERE \(condition) ORDER BY rowid")
        return zip(names, statements).map { ($0, $1) }
    }

    private mutating func copyAtOnce(_ table: String) {
        let name = SQLiteDialect().quote(table)
        do throws(StoreError) {
            try connection.execute("INSERT OR IGNORE INTO main.\(name) SELECT * FROM old.\(name)")
        } catch {
            losses.append("The rows of the table '\(table)': \(error.message)")
        }
    }

    // MARK: - Rows by key

    /// The result of a search for the next row.
    private enum Found: Equatable {
        case row(Int64)
        case end
        case unreadable
    }

    /// Copies the rows with keys from 1 to a highest one.
    private mutating func copyRows(of table: String, through highest: Int64) {
        let name = SQLiteDialect().quote(table)
        var next: Int64 = 1
        var rows = Self.mostRows
        while true {
            switch seek(next, in: name, through: highest) {
            case .end: return
            case .row(let key):
                let last = rows == 1 ? key : self.last(of: rows, from: key, in: name)
                if let last, last <= highest, copy(key...last, of: name) {
                    rows = min(rows * 2, Self.mostRows)
                    if last == .max { return }
                    next = last + 1
                } else if rows > 1 {
                    rows = max(1, rows / 8)
                } else {
                    losses.append("The row \(key) of the table '\(table)'.")
                    if key == .max { return }
                    next = key + 1
                }
            case .unreadable:
                guard let readable = readable(after: next, in: name, through: highest) else {
                    losses.append("All rows of the table '\(table)' from \(next) on.")
                    return
                }
                losses.append("All rows of the table '\(table)' from \(next) to \(readable - 1).")
                next = readable
            }
        }
    }

    /// Looks for the first row from a key on.
    private func seek(_ key: Int64, in name: String, through highest: Int64) -> Found {
        do throws(StoreError) {
            let found = try connection.integer(
                "SELECT rowid FROM old.\(name) WHERE rowid >= \(key) ORDER BY rowid LIMIT 1")
            // Where a page is damaged, a search can end at a row with any key.
            return found.map { $0 >= key && $0 <= highest ? .row($0) : .unreadable } ?? .end
        } catch {
            return .unreadable
        }
    }

    /// The key of the last of some rows; nil when it cannot be read.
    private func last(of count: Int64, from key: Int64, in name: String) -> Int64? {
        let last = try? connection.integer(
            "SELECT max(rowid) FROM (SELECT rowid FROM old.\(name) WHERE rowid >= \(key) "
                + "ORDER BY rowid LIMIT \(count))")
        return last.flatMap { $0 >= key ? $0 : nil }
    }

    private func copy(_ keys: ClosedRange<Int64>, of name: String) -> Bool {
        do throws(StoreError) {
            try connection.execute(
                "INSERT OR IGNORE INTO main.\(name) SELECT * FROM old.\(name) "
                    + "WHERE rowid BETWEEN \(keys.lowerBound) AND \(keys.upperBound)")
            return true
        } catch {
            return false
        }
    }

    /// The first key behind a damaged part from which on rows can be read; nil when there is none.
    ///
    /// Steps grow by an eighth, so that few rows between two damaged parts are passed over.
    private func readable(
        after key: Int64, in name: String, through highest: Int64
    ) -> Int64? {
        var damaged = key
        var step: Int64 = 1
        while true {
            let (probe, isOver) = damaged.addingReportingOverflow(step)
            if isOver { return nil }
            if seek(probe, in: name, through: highest) != .unreadable {
                return first(damaged, probe, name, through: highest)
            }
            damaged = probe
            step = max(1, (probe - key) / 8)
        }
    }

    /// The boundary between a key that cannot be read from and one that can.
    private func first(
        _ damaged: Int64, _ readable: Int64, _ name: String, through highest: Int64
    ) -> Int64 {
        var (damaged, readable) = (damaged, readable)
        while readable - damaged > 1 {
            let middle = damaged + (readable - damaged) / 2
            if seek(middle, in: name, through: highest) == .unreadable {
                damaged = middle
            } else {
                readable = middle
            }
        }
        return readable
    }
}
