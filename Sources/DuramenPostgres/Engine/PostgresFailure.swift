import DuramenStore

/// A failed run on a connection.
struct PostgresFailure: Error, Sendable {
    /// Why a run failed.
    enum Cause: Sendable, Hashable {
        /// The server refused a statement.
        case refused
        /// The connection broke, or the server ended it.
        case connectionLost
        /// The caller's flag was raised.
        case cancelled
        /// The caller's deadline passed.
        case deadlinePassed
        /// The process was made by `fork` after the connection was opened.
        case usedAfterFork
    }

    /// Why the run failed.
    let cause: Cause
    /// The number of the statement in its pipeline; -1 if the run failed as a whole.
    let statement: Int
    /// The server's SQLSTATE; empty if the server sent none.
    let sqlState: String
    /// The server's words, for those classes of errors whose words contain no values; else empty.
    let primaryMessage: String
    /// Whether a COMMIT was sent, and nobody knows what became of it.
    let isOutcomeUnknown: Bool

    /// Describes a failure.
    init(
        _ cause: Cause, statement: Int = -1, sqlState: String = "", primaryMessage: String = "",
        isOutcomeUnknown: Bool = false
    ) {
        self.cause = cause
        self.statement = statement
        self.sqlState = sqlState
        self.primaryMessage = primaryMessage
        self.isOutcomeUnknown = isOutcomeUnknown
    }

    /// Whether the connection broke, or the server ends it with its error.
    var isConnectionLost: Bool { cause == .connectionLost || endsConnection }

    private var endsConnection: Bool {
        sqlState.hasPrefix("08")
            || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(sqlState)
    }

    /// Whether the statement failed because the tables changed under a prepared statement, or the
    /// statement is not prepared after all.
    var isStalePlan: Bool { ["26000", "42P05", "0A000"].contains(sqlState) }

    /// Whether a table was dropped while the statement waited for it, as at the end of a migration.
    var isOfGoneTable: Bool { ["42P01", "3F000", "XX000"].contains(sqlState) }
}

extension PostgresFailure {
    /// Creates the failure of a server's error.
    init(sqlState: String, words: String, statement: Int) {
        let classes = ["08", "28", "3D", "53", "57", "58"]
        self.init(
            .refused, statement: statement, sqlState: sqlState,
            primaryMessage: classes.contains(String(sqlState.prefix(2))) ? words : "")
    }
}

/// A failed COPY: of the server, or of the one who wrote or read its data.
enum CopyFailure: Error {
    /// The server or the connection failed.
    case server(PostgresFailure)
    /// The caller's closure failed.
    case body(StoreError)

    /// The error of the store.
    func storeError(_ place: StorePlaceName, during action: String) -> StoreError {
        switch self {
        case .server(let failure): failure.storeError(place, during: action)
        case .body(let error): error
        }
    }
}
