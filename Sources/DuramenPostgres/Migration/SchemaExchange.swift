import DuramenModel
import DuramenSQL
import DuramenStore

/// Puts one schema in the place of a store's, which is dropped, within a transaction.
struct SchemaExchange {
    private let catalog: Catalog
    private let location: StoreLocation

    /// - Parameters:
    ///   - connection: The connection of the transaction.
    ///   - location: The store that is replaced.
    init(_ connection: Connection, _ location: StoreLocation) {
        catalog = Catalog(connection, location, hasDeadline: false)
        self.location = location
    }

    /// Replaces the store's schema, if there is one. Its owner and its rights stay. Processes that
    /// have the replaced store open find tables of another form.
    ///
    /// - Throws: `.storeBusy` while somebody reads for longer than the time-out; `.foreignFile` if
    ///   something that is not the store's is in the schema or depends on it.
    func replace(with name: String) throws(StoreError) {
        switch try catalog.state() {
        case .missing: break
        case .empty:
            try SchemaRights(catalog, from: location.schema, to: name).copy()
            _ = try catalog.run("DROP SCHEMA \(catalog.schema)")
        case .store:
            try waitForReaders()
            try SchemaRights(catalog, from: location.schema, to: name).copy()
            try StoreRemoval(catalog).run()
        }
        _ = try catalog.run(
            "UPDATE \(SQLQuoting.identifier(name)).store SET layout = $1::bigint",
            [.bigint(Int64.random(in: 1...Int64.max))])
        _ = try catalog.run(
            "ALTER SCHEMA \(SQLQuoting.identifier(name)) RENAME TO \(catalog.schema)")
    }

    /// How long a request for the lock may keep new snapshots waiting, and the pause after it.
    private static let milliseconds = 200

    /// Locks the table about the store. A snapshot has read it, so then there is none. Requests for
    /// the lock are short, so that nobody who takes a snapshot waits for one that somebody else
    /// holds for long.
    func waitForReaders() throws(StoreError) {
        let deadline = Deadline(seconds: location.settings.lockTimeoutSeconds)
        _ = try catalog.run("SET LOCAL lock_timeout = \(Self.milliseconds)")
        while try !locksTable() {
            if deadline.isPassed { throw StoreError.openElsewhere(location.place) }
            Pause.wait(milliseconds: Self.milliseconds)
        }
        _ = try catalog.run("SET LOCAL lock_timeout TO DEFAULT")
    }

    private func locksTable() throws(StoreError) -> Bool {
        _ = try catalog.run("SAVEPOINT part")
        do throws(StoreError) {
            _ = try catalog.run("LOCK TABLE \(catalog.schema).store IN ACCESS EXCLUSIVE MODE")
            return true
        } catch {
            if error.code != .storeBusy { throw error }
            _ = try catalog.run("ROLLBACK TO SAVEPOINT part")
            return false
        }
    }
}
