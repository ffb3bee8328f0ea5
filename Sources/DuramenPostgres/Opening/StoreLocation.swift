import DuramenStore

/// Where a store is: the server, the database and the schema.
struct StoreLocation: Sendable {
    let settings: ConnectionSettings
    /// The name of the schema.
    let schema: String
    /// The options of the description and of the text.
    let options: PostgresOptions

    /// The engine cuts longer names.
    private static let mostNameBytes = 63

    init(_ description: PersistentStoreDescription) throws(StoreError) {
        guard let type = description.type as? PostgresStoreType else {
            throw StoreError(.invalidRequest, "The description is not of a PostgreSQL store.")
        }
        var (settings, own) = try ConnectionSettings.parse(type.connection.text)
        schema =
            description.location.isEmpty
            ? own.schema ?? PostgresStoreType.defaultSchema : description.location
        if schema.utf8.contains(0) || schema.utf8.count > Self.mostNameBytes
            || schema.hasPrefix("pg_")
        {
            throw StoreError(
                .invalidRequest,
                "'\(schema)' cannot be the name of a schema: it has at most "
                    + "\(Self.mostNameBytes) bytes and does not begin with 'pg_'. A shorter name of "
                    + "the store leaves room for the names of its copies and backups.")
        }
        var options = type.options
        if own.allowed.contains(.unverified) { options.allowsUnverifiedServer = true }
        if own.allowed.contains(.unsafe) { options.allowsUnsafeServer = true }
        options.notifies = options.notifies || own.notifies
        options.readSeconds = options.readSeconds ?? own.readSeconds
        options.connections = options.connections ?? own.connections
        self.options = options
        settings.schema = schema
        settings.allowsUnverifiedServer = options.allowsUnverifiedServer
        settings.lockTimeoutSeconds = description.boundedTimeoutSeconds
        settings.idleInTransactionSeconds = description.snapshotLeaseSeconds + 30
        self.settings = settings
    }

    /// Host, database and schema, for messages.
    var name: StorePlaceName { settings.place }
    /// The words of ``name``.
    var place: String { name.description }
    /// How long to wait for an answer: the server gives up waiting for locks before.
    var replyDeadline: Deadline { Deadline(seconds: settings.lockTimeoutSeconds + 5) }

    /// Opens a connection.
    func connect(
        _ description: PersistentStoreDescription, _ counters: StoreCounters? = nil
    ) throws(StoreError) -> Connection {
        try Connection(
            settings, within: Deadline(seconds: max(description.boundedTimeoutSeconds, 1)),
            counters: counters)
    }

    /// The error for a store that must not be created.
    var missing: StoreError {
        StoreError(
            .storeMissing,
            "There is no store in '\(place)', and opening for reading does not create one.")
    }
}
