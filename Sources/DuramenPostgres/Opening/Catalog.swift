import DuramenModel
import DuramenSQL
import DuramenStore

/// Statements about a store as a whole, for which it need not be open.
struct Catalog {
    /// The kinds of contents of a schema.
    enum State {
        case missing, empty, store
    }

    private let connection: Connection
    private let location: StoreLocation
    /// The name of the schema in quotes.
    let schema: String
    private let hasDeadline: Bool

    private static let oldestServer = 150_000

    /// - Parameters:
    ///   - connection: A connection to the store's database.
    ///   - location: The store.
    ///   - hasDeadline: Whether each answer must come in time; not if it takes as long as there are
    ///     rows.
    init(_ connection: Connection, _ location: StoreLocation, hasDeadline: Bool = true) {
        self.connection = connection
        self.location = location
        self.hasDeadline = hasDeadline
        schema = SQLQuoting.identifier(location.schema)
    }

    func run(
        _ text: String, _ parameters: [Parameter] = []
    ) throws(StoreError) -> ResultSet {
        do throws(PostgresFailure) {
            return try connection.run(
                Statement(text, prepared: false), parameters,
                RunLimits(deadline: hasDeadline ? location.replyDeadline : nil))
        } catch {
            throw error.storeError(location.name, during: "use")
        }
    }

    /// Refuses a server that the store cannot be kept on.
    ///
    /// - Throws: `.unsupported`.
    func checkServer() throws(StoreError) {
        let result = try run(
            "SELECT current_setting('server_version_num')::bigint, "
                + "current_setting('server_encoding'), pg_is_in_recovery(), "
                + "current_setting('fsync')::boolean "
                + "AND current_setting('full_page_writes')::boolean")
        func refuse(_ message: String) throws(StoreError) {
            throw StoreError(.unsupported, "Cannot open '\(location.place)': \(message)")
        }
        if (result.int64(0, 0) ?? 0) < Int64(Self.oldestServer) {
            try refuse("the server is older than PostgreSQL 15; use a newer one.")
        }
        if result.text(0, 1) != "UTF8" {
            try refuse("the encoding of the database is not UTF8; create one that has it.")
        }
        if result.bool(0, 2) == true {
            try refuse("the server is a standby; name its primary.")
        }
        if result.bool(0, 3) != true, !location.options.allowsUnsafeServer {
            try refuse(
                "the server runs without fsync or full_page_writes, so that a loss of power may "
                    + "destroy the store; turn them on, or allow an unsafe server.")
        }
    }

    /// The kind of contents of the schema.
    ///
    /// - Throws: `.foreignFile` for tables of others.
    func state() throws(StoreError) -> State {
        let result = try run(
            "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid "
                + "AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')), "
                + "(SELECT count(*) FROM pg_attribute AS a JOIN pg_class AS c ON a.attrelid = c.oid "
                + "WHERE c.relnamespace = n.oid AND c.relname = 'store' "
                + "AND a.attname IN ('one', 'format', 'layout')) "
                + "FROM pg_namespace AS n WHERE n.nspname = $1::text",
            [.text(location.schema)])
        guard result.rowCount == 1 else { return .missing }
        if result.int64(0, 0) == 0 { return .empty }
        if result.int64(0, 1) == 3 { return .store }
        throw StoreError(
            .foreignFile,
            "The schema of '\(location.place)' has tables that are not a store's; name another one."
        )
    }

    /// The row about the store.
    func about() throws(StoreError) -> StoredAbout {
        try StoredAbout(
            run(
                "SELECT \(StoredAbout.columns) FROM \(schema).store"), location.place)
    }

    /// The names and numbers that the store has given to the parts of its model.
    func knownNames() throws(StoreError) -> KnownNames {
        var known = KnownNames()
        var names: [Int32: String] = [:]
        let entities = try run("SELECT number, name, super, tbl FROM \(schema).entities")
        for row in 0..<entities.rowCount {
            guard let number = entities.int32(row, 0), let name = entities.storedText(row, 1)
            else { continue }
            names[number] = name
            known.entities[StoredText(name)] = number
            // Without a table it is an entity of an earlier version, which the history names.
            if entities.isNull(row, 2), let table = entities.text(row, 3), !table.isEmpty {
                known.tables[StoredText(name)] = table
            }
        }
        let columns = try run("SELECT tbl, col, entity, property, part FROM \(schema).columns")
        for row in 0..<columns.rowCount {
            guard let table = columns.text(row, 0), let column = columns.text(row, 1),
                let name = columns.int32(row, 2).flatMap({ names[$0] }),
                let property = columns.storedText(row, 3), let part = columns.text(row, 4)
            else { continue }
            let place = KnownNames.Place(name, property, part)
            if part == KnownNames.pairPart {
                known.pairs[place] = table
            } else {
                known.columns[place] = column
            }
        }
        let constraints = try run("SELECT number, entity, properties FROM \(schema).constraints")
        for row in 0..<constraints.rowCount {
            guard let number = constraints.int32(row, 0),
                let name = constraints.int32(row, 1).flatMap({ names[$0] }),
                let properties = constraints.storedText(row, 2)
            else { continue }
            known.constraints[KnownNames.Place(name, properties, "")] = number
        }
        return known
    }
}
