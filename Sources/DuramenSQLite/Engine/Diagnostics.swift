import CSQLite
import Foundation
import Logging

/// Logs statements, according to the environment variable `DURAMEN_SQL_DEBUG`. 1 logs SQL and time,
/// 2 also storage classes and row counts, 3 also values, and 4 also query plans. Values are not
/// logged if the model has confidential attributes.
enum Diagnostics {
    static let level = Int(ProcessInfo.processInfo.environment["DURAMEN_SQL_DEBUG"] ?? "") ?? 0

    static let logger = {
        var logger = Logger(label: "duramen.sqlite")
        if level > 0 { logger.logLevel = .debug }
        return logger
    }()

    /// Logs, once per process, that other programs must not checkpoint with this version of the
    /// engine.
    static func checkEngine() { _ = engineNote }

    // Not a warning, because Duramen uses such an engine safely.
    private static let engineNote: Void = {
        let version = EngineVersion.loaded
        guard version.hasLogResetRace else { return }
        logger.debug(
            """
            SQLite \(version.name) can lose commits when a program checkpoints a log that two others \
            write. Duramen's own checkpoints keep out of each other's way; run none by other means, or \
            use SQLite 3.51.3 or later.
            """)
    }()

    static func prepared(_ statement: Statement, on connection: OpaquePointer) {
        guard level >= 4 else { return }
        var plan: OpaquePointer?
        let sql = "EXPLAIN QUERY PLAN " + statement.sql
        guard sqlite3_prepare_v2(connection, sql, -1, &plan, nil) == SQLITE_OK else { return }
        defer { sqlite3_finalize(plan) }
        while sqlite3_step(plan) == SQLITE_ROW {
            if let line = sqlite3_column_text(plan, 3) {
                logger.debug("plan: \(String(cString: line))")
            }
        }
    }

    /// - Parameters:
    ///   - statement: The statement.
    ///   - rows: The number of rows, if known.
    ///   - hidesValues: Whether the model has confidential attributes. It is unknown which
    ///     parameters belong to them, so none is shown.
    static func finished(_ statement: Statement, rows: Int?, hidesValues: Bool) {
        let elapsed = statement.startedAt.map { ContinuousClock.now - $0 } ?? .zero
        // Values are only shown if the level asks for them.
        var text = statement.sql
        if level >= 3, !hidesValues, let expanded = sqlite3_expanded_sql(statement.handle) {
            text = String(cString: expanded)
            sqlite3_free(expanded)
        }
        let count = level >= 2 ? rows.map { ", \($0) rows" } ?? "" : ""
        let parameters =
            level >= 2 ? ", \(sqlite3_bind_parameter_count(statement.handle)) values" : ""
        logger.debug("\(text) -- \(elapsed)\(parameters)\(count)")
    }
}
