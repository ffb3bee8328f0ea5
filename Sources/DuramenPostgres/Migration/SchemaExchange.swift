import DuramenModel
import DuramenStore

/// Puts one schema in the place of another, which is dropped.
struct SchemaExchange {
    private let reading: RowReading
    private let location: StoreLocation

    init(_ reading: RowReading, _ location: StoreLocation) {
        self.reading = reading
        self.location = location
    }

    private var core: StoreCore { reading.core }

    /// Replaces the store's schema. Its owner and its rights stay.
    ///
    /// - Throws: `.storeBusy` while somebody reads for longer than the time-out; `.foreignFile` if
    ///   something that is not the store's is in the schema or depends on it.
    func replace(with name: String) throws(StoreError) {
        try waitForReaders()
        try SchemaRights(reading, from: core.schema.name, to: name).copy()
        try StoreRemoval(Catalog(reading.connection, location, hasDeadline: false)).run()
        try reading.runText(
            "ALTER SCHEMA \(PostgresNames.quote(name)) RENAME TO \(core.schema.quotedName)")
    }

    /// How long a request for the lock may keep new snapshots waiting, and the pause after it.
    private static let milliseconds = 200

    /// Locks the table about the store. A snapshot has read it, so then there is none. Requests for
    /// the lock are short, so that nobody who takes a snapshot waits for one that somebody else
    /// holds for long.
    private func waitForReaders() throws(StoreError) {
        let deadline = Deadline(seconds: core.settings.timeoutSeconds)
        while true {
            _ = try reading.run(Statement.savepoint, [])
            var pipeline = Pipeline()
            pipeline.add("SET LOCAL lock_timeout = \(Self.milliseconds)", prepared: false)
            pipeline.add(
                "LOCK TABLE \(core.schema.own(.store)) IN ACCESS EXCLUSIVE MODE", prepared: false)
            pipeline.add("SET LOCAL lock_timeout TO DEFAULT", prepared: false)
            guard let failure = try reading.failure(of: pipeline) else { return }
            _ = try reading.run(Statement.rollBackToSavepoint, [])
            if failure.sqlState != "55P03" { throw core.error(failure, "migrate") }
            if deadline.isPassed { throw StoreError.openElsewhere(core.place) }
            Pause.wait(milliseconds: Self.milliseconds)
        }
    }
}
