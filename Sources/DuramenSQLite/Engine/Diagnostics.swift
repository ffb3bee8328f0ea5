import CSQLite
import Foundation
import Logging

/// What is told about statements, by the environment variable `DURAMEN_SQL_DEBUG`: 1 SQL and time,
/// 2 also storage classes and row counts, 3 also values, unless the model has confidential
/// attributes, 4 also query plans.
enum Diagnostics {
    static let level = Int(ProcessInfo.processInfo.environment["DURAMEN_SQL_DEBUG"] ?? "") ?? 0

    static let logger = {
        var logger = Logger(label: "duramen.sqlite")
        if level > 0 { logger.logLevel = .debug }
        return logger
    }()

    /// Notes, once in a process, an engine that other programs must not check-point with.
    static func checkEngine() { _ = engineNote }

    // No warning: what Duramen does with such an engine is safe.
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

    /// - Parameter hidesValues: Whether the model has confidential attributes. Which parameter is
    ///   one of theirs is not known here, so that none is shown then.
    static func finished(_ statement: Statement, rows: Int?, hidesValues: Bool) {
        let elapsed = statement.startedAt.map { ContinuousClock.now - $0 } ?? .zero
        // Values are shown on the express wish of whoever sets the level only.
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
