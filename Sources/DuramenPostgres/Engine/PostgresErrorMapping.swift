import DuramenStore

/// Where a store is, as messages name it: host, database and schema, and never a password.
struct StorePlaceName: Sendable, Hashable, CustomStringConvertible {
    /// The words of a message.
    let description: String

    /// Creates a name from its words.
    init(_ description: String) { self.description = description }
}

// Converts the server's SQLSTATE to errors of stores, in this file only.
extension PostgresFailure {
    /// Returns the error for an action that failed, such as "save to".
    func storeError(_ place: StorePlaceName, during action: String) -> StoreError {
        let (code, remedy) = meaning
        return StoreError(code, "Cannot \(action) '\(place)': \(remedy)", detail: detail)
    }

    private var detail: String? {
        if sqlState.isEmpty { return nil }
        return "PostgreSQL \(sqlState)" + (primaryMessage.isEmpty ? "" : ": \(primaryMessage)")
    }

    private typealias Meaning = (StoreError.Code, String)

    private var meaning: Meaning {
        if isOutcomeUnknown {
            return (
                .unknownOutcome,
                "the connection ended during the commit, which may or may not have happened; "
                    + "look the save up by its identifier."
            )
        }
        switch cause {
        case .usedAfterFork:
            return (
                .usedAfterFork,
                "it was opened before this process was made by fork; open it after the fork only."
            )
        case .cancelled: return (.cancelled, "the work was cancelled.")
        case .deadlinePassed:
            return (
                .storeBusy, "the server did not answer in time; try again, or allow more time."
            )
        case .connectionLost: return Self.byState[sqlState] ?? Self.unavailable
        case .refused:
            return Self.byState[sqlState] ?? Self.byClass[String(sqlState.prefix(2))]
                ?? (.io, "the server refused a statement; see its SQLSTATE.")
        }
    }

    private static let unavailable: Meaning = (
        .storeUnavailable, "the server cannot be reached; try again when it runs."
    )
    private static let busy: Meaning = (
        .storeBusy, "others hold the store; try again, or allow a longer time-out."
    )
    private static let denied: Meaning = (
        .permissionDenied, "the server does not permit it; check the role, its password and rights."
    )
    private static let schemaChanged: Meaning = (
        .incompatibleModel,
        "its tables are not those of the model; open the store again with the present model."
    )
    private static let damaged: Meaning = (
        .damagedFile, "the server found damaged files; restore a copy of the database."
    )

    private static let byState: [String: Meaning] = [
        "57P01": unavailable, "57P02": unavailable, "57P03": unavailable,
        "57P04": (.storeMissing, "the database was dropped; name another one."),
        "42501": denied,
        "2BP01": (
            .foreignFile,
            "tables, views or others that are not the store's are in its schema or depend on it; "
                + "remove them first."
        ),
        "3D000": (.storeMissing, "the database does not exist; create it, or name another one."),
        "3F000": (.storeMissing, "the schema does not exist; create it, or name another one."),
        "53100": (.diskFull, "the server's disk is full; free some space there."),
        "53300": (
            .storeBusy,
            "the server has no connection left; close some, or raise its max_connections."
        ),
        "55P03": busy, "40001": busy, "40P01": busy, "55006": busy,
        // The cause tells who asked: otherwise it was a time-out of the server's.
        "57014": busy,
        "25P03": (
            .snapshotExpired,
            "the snapshot was held longer than its lease; take a new one, or set a longer lease."
        ),
        "25006": (
            .readOnly, "the server accepts no changes, as a standby does; connect to the primary."
        ),
        "22001": (.tooLarge, "a value is too large for the server; make it smaller."),
        "42P01": schemaChanged, "42703": schemaChanged,
        "0A000": (.unsupported, "the server does not support a statement; see its SQLSTATE."),
        "XX001": damaged, "XX002": damaged,
    ]

    private static let byClass: [String: Meaning] = [
        "08": unavailable, "28": denied,
        "22": (.invalidRequest, "the values do not fit the store's tables; check the model."),
        "23": (.invalidRequest, "the values do not fit the store's tables; check the model."),
        "53": (.storeBusy, "the server lacks memory or another resource; try again later."),
        "54": (.tooLarge, "a value or a statement is too large for the server; make it smaller."),
        "57": unavailable,
        "58": (.io, "the server could not read or write its files; check its disk."),
    ]
}
