import CSQLite
import DuramenStore

/// The BEGIN and COMMIT of a reader's long transaction.
///
/// A reader's transaction is that of a statement which stays on its row. Every other statement
/// checks at its end whether it is the last, which costs an eighth of BEGIN and COMMIT together. So
/// a transaction of many statements is begun explicitly.
// Sound: confined with the reader's connection, so that its exclusivity need not be checked.
final class ExplicitTransaction {
    private static let statementsBefore = 8

    private let begin: Statement
    private let commit: Statement
    private let rollback: Statement
    @exclusivity(unchecked) private var statementCount = 0

    init(on connection: Connection) throws(StoreError) {
        begin = try connection.prepare("BEGIN")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
    }

    /// Counts one more statement.
    @inline(__always) func noteStatement() {
        statementCount &+= 1
        if statementCount == Self.statementsBefore { run(begin) }
    }

    /// Ends the transaction if it was begun explicitly. Unfinished statements keep it open.
    @inline(__always) func end() {
        if statementCount >= Self.statementsBefore { endInWords() }
        statementCount = 0
    }

    // A failed BEGIN is harmless: the transaction is still that of a statement.
    @inline(never) private func endInWords() {
        run(commit)
        // It has nothing to write that could fail. But an open transaction would show its old state
        // forever.
        if sqlite3_get_autocommit(sqlite3_db_handle(commit.handle)) == 0 { run(rollback) }
    }

    @inline(never) private func run(_ statement: Statement) {
        _ = statement.step()
        sqlite3_reset(statement.handle)
    }
}
