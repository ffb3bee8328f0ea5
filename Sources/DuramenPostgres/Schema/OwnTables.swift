/// The tables that a store has beside those of its model.
enum OwnTable: String, CaseIterable {
    /// One row about the store.
    case store
    /// The application's entries.
    case metadata
    /// The numbers of entities, and their tables.
    case entities
    /// The columns of properties, and the tables of pairs.
    case columns
    /// The next key of each hierarchy, and the next stamp.
    case keys
    /// The identifiers of saves.
    case identifiers
    /// The saves, and the transactions of the history.
    case saves
    /// The changes of the history.
    case changes
    /// The consumers of the history.
    case consumers
    /// The numbers of uniqueness constraints.
    case constraints
    /// The unique values.
    case claims
    /// The versions of the model.
    case models
    /// The migrations.
    case epochs
    /// Empty: locked by saves together, and by batches alone.
    case gate
    /// Empty: locked by one save at a time, for its number.
    case turn

    /// The columns.
    var columns: String {
        switch self {
        case .store:
            "one boolean PRIMARY KEY CHECK (one), format integer NOT NULL, uuid uuid NOT NULL, "
                + "layout bigint NOT NULL, checksum text NOT NULL, hashes bytea NOT NULL, "
                + "versions bytea NOT NULL, history_from bigint"
        case .metadata: "name text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL"
        case .entities:
            "number integer PRIMARY KEY, name text COLLATE \"C\" UNIQUE NOT NULL, "
                + "super integer, tbl text COLLATE \"C\" NOT NULL"
        case .columns:
            "tbl text COLLATE \"C\", col text COLLATE \"C\", entity integer NOT NULL, "
                + "property text COLLATE \"C\" NOT NULL, part text COLLATE \"C\" NOT NULL, "
                + "PRIMARY KEY (tbl, col)"
        case .keys: "root integer PRIMARY KEY, next bigint NOT NULL"
        case .identifiers: "identifier uuid PRIMARY KEY, number bigint"
        case .saves:
            "number bigint PRIMARY KEY, stamp bigint UNIQUE NOT NULL, "
                + "at double precision NOT NULL, program text COLLATE \"C\", "
                + "process text COLLATE \"C\", context text COLLATE \"C\", "
                + "author text COLLATE \"C\", first_change bigint, changes integer"
        case .changes:
            "stamp bigint, position integer, entity integer NOT NULL, key bigint NOT NULL, "
                + "kind smallint NOT NULL, properties bytea, tombstone bytea, "
                + "PRIMARY KEY (stamp, position)"
        case .consumers:
            "name text COLLATE \"C\" PRIMARY KEY, number bigint NOT NULL, "
                + "lease double precision NOT NULL, renewed double precision NOT NULL"
        case .constraints:
            "number integer PRIMARY KEY, entity integer NOT NULL, "
                + "properties text COLLATE \"C\" NOT NULL"
        case .claims:
            "cons integer, digest bytea, key bigint NOT NULL, entity integer NOT NULL, "
                + "PRIMARY KEY (cons, digest)"
        case .models: "checksum text COLLATE \"C\" PRIMARY KEY, archive bytea NOT NULL"
        case .epochs: "number integer PRIMARY KEY, json bytea NOT NULL"
        case .gate, .turn: ""
        }
    }
}

/// The sequences of a store.
enum OwnSequence: String, CaseIterable {
    /// The numbers of saves, in the order of their commits.
    case orderNumbers = "order_numbers"
    /// The numbers of changes.
    case changeNumbers = "change_numbers"
}
