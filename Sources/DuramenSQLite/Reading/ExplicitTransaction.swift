import CSQLite
import DuramenStore

/// The BEGIN and COMMIT of a reader whose transaction turns out to be long.
///
/// A reader's transaction is that of a statement which stands on its row. Every other statement
/// that ends meanwhile looks whether it is the last, which costs an eighth of BEGIN and COMMIT
/// together; so a transaction of many statements is begun in words.
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

    /// Notes that one more statement is to run.
    @inline(__always) func noteStatement() {
        statementCount &+= 1
        if statementCount == Self.statementsBefore { run(begin) }
    }

    /// Ends the transaction if it was begun in words. Statements that are not at their end keep it
    /// alive.
    @inline(__always) func end() {
        if statementCount >= Self.statementsBefore { endInWords() }
        statementCount = 0
    }

    // A BEGIN that failed left things as they were: begun by a statement, which is as good.
    @inline(never) private func endInWords() {
        run(commit)
        // There is nothing that it could fail to write; but a state that stayed would be read for
        // ever.
        if sqlite3_get_autocommit(sqlite3_db_handle(commit.handle)) == 0 { run(rollback) }
    }

    @inline(never) private func run(_ statement: Statement) {
        _ = statement.step()
        sqlite3_reset(statement.handle)
    }
}
