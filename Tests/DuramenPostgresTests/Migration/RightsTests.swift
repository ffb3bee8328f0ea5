import DuramenModel
import DuramenPostgres
import DuramenStore
import StoreTestSupport
import Testing

/// Rights and tables of others, when a store is migrated or destroyed.
@Suite(.enabled(if: TestServer.isThere)) struct RightsTests {
    private static let old = testModel([
        EntityDescription(
            name: "Item", attributes: [AttributeDescription("number", .integer64, isOptional: true)]
        )
    ])

    private static let new = testModel([
        EntityDescription(
            name: "Item",
            attributes: [
                AttributeDescription("number", .integer64, isOptional: true),
                AttributeDescription("text", .string, isOptional: true),
            ]),
        EntityDescription(
            name: "Part", attributes: [AttributeDescription("number", .integer64, isOptional: true)]
        ),
    ])

    private let schemas: TestSchemas
    private let raw: RawServer

    init() throws {
        schemas = try TestSchemas()
        raw = try RawServer()
    }

    private func owned(_ schema: String) throws -> PersistentStoreDescription {
        .postgres(try TestServer.location(), schema: schema).allowingUnsafeServer()
    }

    @Test func rightsAndOwnerStayWhenAnotherRoleMigrates() throws {
        defer { schemas.destroyAll() }
        let user = try schemas.nextWithRole("").timeout(seconds: 5)
        let reader = try schemas.nextWithRole("")
        let owner = try schemas.nextWithRole("")
        let (schema, place) = (user.quoted, try owned(user.location))
        let store = try place.open(model: Self.old)
        try store.insert("Item", ["number": .integer(1)])
        try store.close()
        for text in [
            "GRANT USAGE ON SCHEMA \(schema) TO \(schema)",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(schema)",
            "GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(schema)",
            "GRANT USAGE ON SCHEMA \(schema) TO \(reader.quoted)",
            "GRANT SELECT ON \(schema).store TO \(reader.quoted) WITH GRANT OPTION",
            "ALTER SCHEMA \(schema) OWNER TO \(owner.quoted)",
            "ALTER TABLE \(schema).store OWNER TO \(owner.quoted)",
        ] { try raw.run(text) }
        try place.open(model: Self.new).close()
        // The role of the program uses all tables, and the new one too.
        let used = try user.open(model: Self.new)
        let ids = try used.insert("Part", all: [["number": .integer(2)]])
        #expect(try used.value(ids[0], "number") == .integer(2))
        try used.close()
        // The other one still reads one table, and no other.
        func rights(_ condition: String) throws -> Int64? {
            try raw.number(
                "SELECT count(*) FROM information_schema.role_table_grants WHERE grantee = "
                    + "'\(reader.location)' AND table_schema = '\(user.location)' AND \(condition)")
        }
        #expect(try rights("table_name = 'store' AND is_grantable = 'YES'") == 1)
        #expect(try rights("true") == 1)
        #expect(
            try raw.number(
                "SELECT count(*) FROM pg_tables WHERE schemaname = '\(user.location)' "
                    + "AND tableowner <> '\(owner.location)'") == 0)
        #expect(
            try raw.number(
                "SELECT count(*) FROM pg_namespace WHERE nspname = '\(user.location)' "
                    + "AND pg_get_userbyid(nspowner) = '\(owner.location)'") == 1)
    }

    @Test(arguments: ["TABLE %.stranger ()", "VIEW %.stranger AS SELECT * FROM %.store"])
    func tablesAndViewsOfOthersAreNotDropped(_ definition: String) throws {
        defer { schemas.destroyAll() }
        let place = schemas.next()
        let store = try place.open(model: Self.old)
        try store.insert("Item", ["number": .integer(1)])
        try store.close()
        try raw.run("CREATE " + definition.replacing("%", with: place.quoted))
        #expect(storeErrorCode { try place.open(model: Self.new) } == .foreignFile)
        #expect(storeErrorCode { try place.destroyStore() } == .foreignFile)
        let same = try place.open(model: Self.old)
        #expect(try same.snapshot().count(same.query("Item")) == 1)
        try same.close()
    }
}
