import DuramenModel
import DuramenStore
import Foundation

/// Makes the schema and the tables of a new store.
struct StoreCreation {
    let model: ManagedObjectModel
    let location: StoreLocation
    /// The identity of the store.
    var identity = UUID()

    /// Makes the store in one transaction. Of two first openers one makes it, and the other one
    /// finds it.
    func run(on connection: Connection) throws(StoreError) {
        let catalog = Catalog(connection, location)
        do throws(StoreError) {
            _ = try catalog.run("BEGIN ISOLATION LEVEL READ COMMITTED")
            _ = try catalog.run(
                "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 7))",
                [.text(location.schema)])
            if try catalog.state() != .store { try make(connection) }
            _ = try catalog.run("COMMIT")
        } catch {
            _ = try? catalog.run("ROLLBACK")
            throw error
        }
    }

    private func make(_ connection: Connection) throws(StoreError) {
        let schema = PostgresSchema(
            name: location.schema, model: model, store: StoreHandle(uuid: identity))
        try check(schema)
        let about = try StoredAbout.parameters(of: model)
        var pipeline = Pipeline()
        for statement in SchemaStatements(schema: schema).all {
            pipeline.add(statement, prepared: false)
        }
        pipeline.add(
            Statement(
                "INSERT INTO \(schema.own(.store)) VALUES (true, $1::integer, $2::uuid, "
                    + "$3::bigint, $4::text, $5::bytea, $6::bytea, NULL)", prepared: false),
            [
                .integer(StoredAbout.formatVersion), .uuid(identity),
                .bigint(Int64.random(in: 1...Int64.max)),
            ] + about)
        do throws(PostgresFailure) {
            _ = try connection.run(
                pipeline, RunLimits(deadline: Deadline(seconds: Self.mostSeconds)))
        } catch {
            throw error.storeError(location.name, during: "create")
        }
    }

    /// A store of many tables takes long to make.
    private static let mostSeconds = 120.0

    /// The engine's limit, less the three columns of every table.
    private static let mostColumns = 1_600 - 3

    private func check(_ schema: PostgresSchema) throws(StoreError) {
        for table in schema.tables where table.columns.count > Self.mostColumns {
            throw StoreError(
                .unsupported,
                "The entities of '\(model[table.root].name)' have \(table.columns.count) columns "
                    + "together; PostgreSQL allows \(Self.mostColumns). Use several hierarchies.")
        }
    }
}
