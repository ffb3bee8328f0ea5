import DuramenModel
import DuramenPostgres
import DuramenSQL
import DuramenStore
import StoreTestSupport
import Testing

/// What a role needs to use a store that another role made.
@Suite(.enabled(if: TestServer.isThere)) struct RoleTests {
    private let schemas: TestSchemas
    private let place: PersistentStoreDescription
    private let raw: RawServer

    init() throws {
        schemas = try TestSchemas()
        place = try schemas.nextWithRole("").timeout(seconds: 5)
        raw = try RawServer()
    }

    /// Lets the owner of the server make the store, and gives the role its rights.
    private func makeStore(_ rights: String) throws {
        let owner = PersistentStoreDescription.postgres(
            try TestServer.location(), schema: place.location
        ).allowingUnsafeServer()
        try owner.open(model: FaultModel.model).close()
        try raw.grantUse(of: place, rights)
    }

    @Test func theRightsToReadAndWriteRowsAreEnough() throws {
        defer { schemas.destroyAll() }
        try makeStore("SELECT, INSERT, UPDATE, DELETE")
        let store = try place.open(model: FaultModel.model)
        let history = try #require(store as? any HistoryTrackingStore)
        try history.beginHistory()
        let ids = try store.insert("Tag", all: [["label": .text("a")], ["code": .text("c")]])
        try store.saved(ChangeSet(updates: [store.update(ids[0], ["label": .text("b")])]))
        try store.delete(ids[1])
        #expect(try store.value(ids[0], "label") == .text("b"))
        let batches = try #require(store as? any BatchWritingStore)
        let key = try store.allocateKeys(1, for: store.entity("Tag").id).lowerBound
        let part = ChangeSet(inserts: RowList([try store.row("Tag", key: key, [:])]))
        _ = try batches.writeBatch(ChangeSet()) { (batch) throws(StoreError) in
            _ = try batch.write(part)
        }
        #expect(try store.snapshot().count(store.query("Tag")) == 2)
        #expect(try history.history(HistoryRequest()).count == 4)
        _ = try history.deleteHistory(HistoryDeletion())
        try history.setHistoryConsumer(named: "one", at: 0, leaseSeconds: 60)
        _ = try (store as? any MaintainingStore)?.maintain()
        try store.close()
        // What it may not is said.
        #expect(storeErrorCode { try place.destroyStore() } == .permissionDenied)
    }

    @Test func aStoreThatTheScriptMadeNeedsNoRightToMakeTables() throws {
        defer { schemas.destroyAll() }
        let type = try #require(place.type as? any ScriptedStoreType)
        let hostile = "a;\u{301}'\"\\b\n--"
        try raw.run("CREATE ROLE \(SQLQuoting.identifier(hostile))")
        let roles = [place.location, hostile]
        let script = try type.creationScript(of: place, model: FaultModel.derived, for: roles)
        try raw.run("CREATE SCHEMA \(place.quoted)")
        try raw.run("CREATE TABLE \(place.quoted).stranger ()")
        for statement in script.split(separator: ";\n") { try raw.run(String(statement)) }
        #expect(
            try raw.number(
                "SELECT has_table_privilege('\(place.location)', '\(place.location).stranger', "
                    + "'SELECT')::int") == 0)
        try raw.run("DROP TABLE \(place.quoted).stranger")
        let store = try place.open(model: FaultModel.derived)
        let parent = try store.insert("Parent", all: [[:]])[0]
        try store.insert("Child", all: [["parent": .objectID(parent)]])
        #expect(try store.value(parent, "count") == .integer(1))
        #expect(try store.metadata().modelChecksum == FaultModel.derived.versionChecksum)
        try store.close()
        #expect(
            storeErrorCode { try place.open(model: FaultModel.model) } == .incompatibleModel)
        // An opening makes the same tables.
        let other = schemas.next()
        try other.open(model: FaultModel.derived).close()
        #expect(try tables(place.location) == tables(other.location))
        try raw.run("DROP OWNED BY \(SQLQuoting.identifier(hostile))")
        try raw.run("DROP ROLE \(SQLQuoting.identifier(hostile))")
    }

    /// The columns and indexes of a schema.
    private func tables(_ schema: String) throws -> [[String?]] {
        try raw.run(
            "SELECT table_name::text, column_name::text, data_type::text, is_nullable::text "
                + "FROM information_schema.columns WHERE table_schema = '\(schema)' "
                + "UNION ALL SELECT tablename::text, indexname::text, "
                + "replace(indexdef, schemaname, ''), '' FROM pg_indexes "
                + "WHERE schemaname = '\(schema)' ORDER BY 1, 2")
    }

    @Test func aRoleThatMayOnlyReadReads() throws {
        defer { schemas.destroyAll() }
        try makeStore("SELECT")
        #expect(
            storeErrorCode { try place.open(model: FaultModel.model) } == .permissionDenied)
        let store = try place.readOnly().open(model: FaultModel.model)
        #expect(try store.snapshot().count(store.query("Tag")) == 0)
        #expect(storeErrorCode { try store.insert("Tag") } == .readOnly)
        try store.close()
    }

    @Test func aRoleWithoutTheRightToMakeASchemaIsDenied() throws {
        defer { schemas.destroyAll() }
        #expect(
            storeErrorCode { try place.open(model: FaultModel.model) } == .permissionDenied)
        // Nothing of it is left.
        #expect(
            try raw.number(
                "SELECT count(*) FROM pg_namespace WHERE nspname = '\(place.location)'") == 0)
    }

    @Test func aRoleWithoutRightsIsDenied() throws {
        defer { schemas.destroyAll() }
        try makeStore("SELECT")
        try raw.run("REVOKE USAGE ON SCHEMA \(place.quoted) FROM \(place.quoted)")
        #expect(
            storeErrorCode { try place.readOnly().open(model: FaultModel.model) }
                == .permissionDenied)
    }

    @Test func aRoleWhoseTransactionsOnlyReadIsReadOnly() throws {
        defer { schemas.destroyAll() }
        try makeStore("SELECT, INSERT, UPDATE, DELETE")
        let store = try place.open(model: FaultModel.model)
        try store.insert("Tag")
        try raw.run("ALTER ROLE \(place.quoted) SET default_transaction_read_only = on")
        // As after the primary has become a standby.
        try raw.run(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE "
                + RawServer.about(place.location))
        #expect(storeErrorCode { try store.insert("Tag") } == .readOnly)
        #expect(try store.snapshot().count(store.query("Tag")) == 1)
        try raw.run("ALTER ROLE \(place.quoted) RESET default_transaction_read_only")
        // The connections to the standby were dropped.
        try store.insert("Tag")
        try store.close()
    }
}
