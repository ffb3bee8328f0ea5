import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// Makes the schema and the tables of a new store.
struct StoreCreation {
    let model: ManagedObjectModel
    let location: StoreLocation

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
        let schema = try schema()
        var pipeline = Pipeline()
        for statement in SchemaStatements(schema: schema).all {
            pipeline.add(statement, prepared: false)
        }
        pipeline.add(try about(in: schema), prepared: false)
        do throws(PostgresFailure) {
            _ = try connection.run(
                pipeline, RunLimits(deadline: Deadline(seconds: Self.mostSeconds)))
        } catch {
            throw error.storeError(location.name, during: "create")
        }
    }

    /// The tables of the new store.
    ///
    /// - Throws: `.unsupported` when a table would have too many columns.
    func schema() throws(StoreError) -> PostgresSchema {
        // No ID of an object is made of it.
        let schema = PostgresSchema(
            name: location.schema, model: model, store: StoreHandle(uuid: UUID()))
        try check(schema)
        return schema
    }

    /// The statement that writes the row about the store. The server draws its identity.
    func about(in schema: PostgresSchema) throws(StoreError) -> String {
        let hashes = SQLQuoting.bytes(try StoredJSON.bytes(of: model.entityVersionHashes))
        let versions = SQLQuoting.bytes(try StoredJSON.bytes(of: model.versionIdentifiers))
        return "INSERT INTO \(schema.own(.store)) VALUES (true, \(StoredAbout.formatVersion), "
            + "pg_catalog.gen_random_uuid(), 1 + (9e18 * pg_catalog.random())::bigint, "
            + "\(SQLQuoting.literal(model.versionChecksum)), \(hashes), \(versions), NULL)"
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
