import CSQLite
import DuramenFileStore
import DuramenStore
import Foundation

/// A log beside a file that nobody has open: the log of a process that died, or of a file that a
/// restored file replaced.
///
/// A log does not record its file, and the engine writes any log into any file. So the store is
/// read twice before anything is written: from the file alone, and with the log.
///
/// ```
///   the file alone       … 7, 8           newest save 8
///   the log's pages      … 7, 8, 9        as its first save wrote them, after save 8
///                        … 10, 11         the last one
/// ```
/// The log belongs to the file under these conditions. Both have one identity. The file has the
/// save before the log's first save, and the newest save that both have has one identifier. The
/// file has no save that the log lacks. A log without a newer save also must not have older tables,
/// and must give a sound file. A log with a newer save and all pages in one commit needs nothing of
/// the file.
///
/// A loss of power during a checkpoint leaves any mixture of sectors from before and after. So the
/// parts of a text in two sectors prove nothing, and neither does a file that is sound only with
/// the log.
struct LeftoverLog {
    let path: String

    private var logPath: String { path + "-wal" }

    /// Checks a store that this process does not have open.
    ///
    /// - Parameter setsAside: Whether to move a log of another file away, so that the next opening
    ///   uses the file alone.
    /// - Throws: `.foreignLog`
    func check(setsAside: Bool) throws(StoreError) {
        guard case .file(let log, let size) = SystemCalls.kind(of: logPath), size > 0,
            !isInUse
        else { return }
        let verdict = verdict
        if case .own = verdict { return }
        // Nil: the disk prevents the check.
        let isSound = isSound(ignoresLog: true)
        let reason: String
        switch verdict {
        case .own: return
        case .foreign(let difference, let mayBeTorn):
            if isSound == false, mayBeTorn, self.isSound(ignoresLog: false) == true { return }
            reason = difference
        case .undecided:
            guard isSound == true, self.isSound(ignoresLog: false) == false else { return }
            reason = "the two together are damaged, and the file alone is not"
        }
        var advice =
            "Move '\(logPath)' away to use the file as it is, or put the file back that the log belongs to."
        if setsAside, isSound == true, let aside = setAside(log) {
            advice =
                "The log is '\(aside)' now. Open the store again to use the file as it is, or put the log and the file "
                + "that it belongs to back."
        }
        throw StoreError(
            .foreignLog,
            "The log beside '\(path)' is that of another file: \(reason). \(advice)")
    }

    /// Whether another process has the store open: it has checked the log, and continues to write
    /// it.
    ///
    /// SQLite: every connection has a lock on some of the 510 bytes after 2^30 + 1, while it uses a
    /// log (lockingv3.html, "SHARED").
    private var isInUse: Bool {
        SystemCalls.isLockedElsewhere(path, at: 0x4000_0002, count: 510)
    }

    // MARK: - Comparing

    /// Whose log it is, by what the two contain.
    private enum Verdict {
        case own
        /// Soundness must decide.
        case undecided
        /// Another file's, for a reason; and whether a checkpoint that the disk has in part can
        /// give this reason, too.
        case foreign(String, mayBeTorn: Bool = true)
    }

    private var verdict: Verdict {
        guard let log = LoggedSaves(logPath: logPath), log.hasCommits else { return .own }
        // The first pages of a file without tables are all in the log.
        guard let own = identity(ignoresLog: true) else { return .own }
        // If the text is in two sectors, the disk has the beginning or the end.
        if let other = identity(ignoresLog: false), other.prefix(4) != own.prefix(4),
            other.suffix(4) != own.suffix(4)
        {
            return .foreign("it has another identity", mayBeTorn: false)
        }
        guard let newest = newestSave else { return .own }
        if let last = log.last, last < newest {
            return .foreign("the file ends with save \(newest), and the log with save \(last)")
        }
        if !log.hasAllPages, let before = log.before, newest < before {
            return .foreign(
                "the file ends with save \(newest), and the log goes on from save \(before)")
        }
        let hasNewer = log.last.map { $0 > newest } ?? false
        switch newestCommonSave(log, newest) {
        case .other(let number):
            return .foreign("its save \(number) is not that of the file")
        // A log with a newer save continues the file.
        case .same where hasNewer: return .own
        case .none where hasNewer && log.hasAllPages: return .own
        case .same, .none: break
        }
        // The saves do not decide, as when an index was built after the last one. An unrelated file
        // and log have different tables, or make a damaged file.
        if let own = schemaVersion(ignoresLog: true), let other = schemaVersion(ignoresLog: false),
            other < own
        {
            return .foreign("its tables are older than those of the file")
        }
        return .undecided
    }

    private enum CommonSave {
        case none, same
        case other(number: Int64)
    }

    /// Compares the newest save that both have, which decides, since each continues the one before.
    private func newestCommonSave(_ log: LoggedSaves, _ newest: Int64) -> CommonSave {
        // If a row is in two sectors, the one before is not.
        for number in log.rows.keys.filter({ $0 <= newest }).sorted().suffix(4).reversed() {
            guard let save = log.rows[number], let identifier = identifier(of: number) else {
                continue
            }
            switch save.compare(with: identifier) {
            case .same: return .same
            case .other: return .other(number: number)
            // A checkpoint writes a page as its last save left it. If the log goes on, the last
            // row is rarely one that the disk has in part, but may be that of another save.
            case .unknown where number == newest && number < log.last ?? newest:
                return .other(number: number)
            case .unknown: continue
            }
        }
        return .none
    }

    /// The number of times that tables and indexes were created or dropped.
    private func schemaVersion(ignoresLog: Bool) -> Int64? {
        withConnection(ignoresLog: ignoresLog) { handle in
            Self.read(handle, "PRAGMA schema_version") { sqlite3_column_int64($0, 0) }
        }
    }

    /// The store's identity; nil if the file has none, or not all of it.
    private func identity(ignoresLog: Bool) -> String? {
        let text = withConnection(ignoresLog: ignoresLog) { handle in
            Self.text(handle, "SELECT Z_UUID FROM Z_METADATA LIMIT 1")
        }
        return text.flatMap { UUID(uuidString: $0)?.uuidString }
    }

    /// Whether the engine finds no damage; nil if the disk prevents the check, which proves nothing
    /// about the log.
    private func isSound(ignoresLog: Bool) -> Bool? {
        withConnection(ignoresLog: ignoresLog) { handle -> Bool? in
            let found = Self.text(handle, "PRAGMA integrity_check(1)")
            if found == "ok" { return true }
            let isDamage = [SQLITE_CORRUPT, SQLITE_NOTADB].contains(sqlite3_errcode(handle) & 0xFF)
            if found == nil { return isDamage ? false : nil }
            // Unreadable pages are listed with the code of the error; 11 is damage.
            let codes = found?.matches(of: /error code=(\d+)/).compactMap { Int32($0.1) } ?? []
            return codes.allSatisfy { $0 & 0xFF == SQLITE_CORRUPT } ? false : nil
        }
    }

    /// The number of the newest save in the file alone; nil if it has no reliable one.
    ///
    /// A process that died during a checkpoint leaves pages of several states in the file. Then the
    /// log is the file's, and the table of saves in the file alone may be damaged.
    private var newestSave: Int64? {
        withConnection(ignoresLog: true) { handle -> Int64? in
            guard Self.text(handle, "PRAGMA integrity_check('DURAMEN_SAVE')") == "ok" else {
                return nil
            }
            return Self.read(
                handle,
                "SELECT MAX(Z_PK) FROM DURAMEN_SAVE WHERE ifnull(length(ZIDENTIFIER), 16) = 16"
            ) { sqlite3_column_type($0, 0) == SQLITE_NULL ? nil : sqlite3_column_int64($0, 0) }
        }
    }

    /// The identifier of a save in the file alone.
    private func identifier(of save: Int64) -> [UInt8]? {
        withConnection(ignoresLog: true) { handle in
            Self.read(handle, "SELECT ZIDENTIFIER FROM DURAMEN_SAVE WHERE Z_PK = \(save)") {
                StatementColumns(statement: $0).isNull(0)
                    ? nil : Array(StatementColumns(statement: $0).bytes(0))
            }
        }
    }

    /// Reads with a connection that writes nothing, not even when it is closed.
    private func withConnection<R>(ignoresLog: Bool, _ body: (OpaquePointer) -> R?) -> R? {
        var handle: OpaquePointer?
        let place = path.hasPrefix("/") ? path : "./" + path
        let name =
            ignoresLog ? "file:" + ConnectionOptions.escaped(place) + "?immutable=1" : place
        let flags =
            SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | (ignoresLog ? SQLITE_OPEN_URI : 0)
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(name, &handle, flags, nil) == SQLITE_OK, let handle else {
            return nil
        }
        _ = duramen_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        _ = duramen_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        return body(handle)
    }

    /// The first row of a query; nil if there is none, or if the file does not have the tables.
    private static func read<R>(
        _ handle: OpaquePointer, _ sql: String, _ value: (OpaquePointer) -> R?
    ) -> R? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement
        else { return nil }
        defer { sqlite3_finalize(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? value(statement) : nil
    }

    private static func text(_ handle: OpaquePointer, _ sql: String) -> String? {
        read(handle, sql) { sqlite3_column_text($0, 0).map { String(cString: $0) } }
    }

    // MARK: - Setting aside

    /// Moves the log away, unless another process has opened the store since, or made another log.
    ///
    /// - Returns: The new path; nil if it is not moved.
    private func setAside(_ log: FileIdentity) -> String? {
        guard case .file(log, _) = SystemCalls.kind(of: logPath), !isInUse else { return nil }
        var number = 1
        var aside = logPath + ".foreign"
        while case .file = SystemCalls.kind(of: aside) {
            number += 1
            aside = "\(logPath).foreign\(number)"
        }
        guard SystemCalls.rename(logPath, to: aside) == 0 else { return nil }
        // The index belongs to the log, and is rebuilt.
        _ = SystemCalls.removeFile(path + "-shm")
        return aside
    }
}
