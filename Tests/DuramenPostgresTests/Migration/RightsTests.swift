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

    /// A version for which the tables change where they are, or are written again.
    private static func new(inPlace: Bool) -> ManagedObjectModel {
        testModel([
            EntityDescription(
                name: "Item",
                attributes: [
                    AttributeDescription(
                        "number", inPlace ? .integer64 : .double, isOptional: true),
                    AttributeDescription("text", .string, isOptional: true),
                ]),
            EntityDescription(
                name: "Part",
                attributes: [AttributeDescription("number", .integer64, isOptional: true)]),
        ])
    }

    private let schemas: TestSchemas
    private let raw: RawServer

    init() throws {
        schemas = try TestSchemas()
        raw = try RawServer()
    }

    private func owned(_ schema: String) throws -> PersistentStoreDescription {
        .postgres(try TestServer.location(), schema: schema).allowingUnsafeServer()
    }

    @Test(arguments: [false, true])
    func rightsAndOwnerStayWhenAnotherRoleMigrates(inPlace: Bool) throws {
        defer { schemas.destroyAll() }
        let user = try schemas.nextWithRole("").timeout(seconds: 5)
        let reader = try schemas.nextWithRole("")
        let owner = try schemas.nextWithRole("")
        let (schema, place) = (user.quoted, try owned(user.location))
        let store = try place.open(model: Self.old)
        try store.insert("Item", ["number": .integer(1)])
        try store.close()
        try raw.grantUse(of: user)
        for text in [
            "GRANT USAGE ON SCHEMA \(schema) TO \(reader.quoted)",
            "GRANT SELECT ON \(schema).store TO \(reader.quoted) WITH GRANT OPTION",
            "ALTER SCHEMA \(schema) OWNER TO \(owner.quoted)",
            "ALTER TABLE \(schema).store OWNER TO \(owner.quoted)",
        ] { try raw.run(text) }
        try place.open(model: Self.new(inPlace: inPlace)).close()
        // The role of the program uses all tables, and the new one too.
        let used = try user.open(model: Self.new(inPlace: inPlace))
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
                    + (inPlace ? "AND tablename = 'part' " : "")
                    + "AND tableowner <> '\(owner.location)'") == 0)
        #expect(
            try raw.number(
                "SELECT count(*) FROM pg_namespace WHERE nspname = '\(user.location)' "
                    + "AND pg_get_userbyid(nspowner) = '\(owner.location)'") == 1)
    }

    @Test(arguments: [false, true])
    func aRoleThatIsNotTheOwnerIsToldToLetTheOwnerMigrate(inPlace: Bool) throws {
        defer { schemas.destroyAll() }
        let user = try schemas.nextWithRole("").timeout(seconds: 5)
        let store = try owned(user.location).open(model: Self.old)
        try store.insert("Item", ["number": .integer(1)])
        try store.close()
        try raw.grantUse(of: user)
        let error = #expect(throws: StoreError.self) {
            try user.open(model: Self.new(inPlace: inPlace))
        }
        #expect(error?.code == .migrationRequired)
        #expect(error?.message.contains("Item.text") == true)
        // Nothing has changed.
        let same = try user.open(model: Self.old)
        try same.insert("Item", ["number": .integer(2)])
        #expect(try same.snapshot().count(same.query("Item")) == 2)
        try same.close()
    }

    @Test(arguments: ["TABLE %.stranger ()", "VIEW %.stranger AS SELECT * FROM %.store"])
    func tablesAndViewsOfOthersAreNotDropped(_ definition: String) throws {
        defer { schemas.destroyAll() }
        let place = schemas.next()
        let store = try place.open(model: Self.old)
        try store.insert("Item", ["number": .integer(1)])
        try store.close()
        try raw.run("CREATE " + definition.replacing("%", with: place.quoted))
        #expect(
            storeErrorCode { try place.open(model: Self.new(inPlace: false)) } == .foreignFile)
        #expect(storeErrorCode { try place.destroyStore() } == .foreignFile)
        let same = try place.open(model: Self.old)
        #expect(try same.snapshot().count(same.query("Item")) == 1)
        try same.close()
        // Tables that stay are in nobody's way.
        let changed = try place.open(model: Self.new(inPlace: true))
        #expect(try changed.snapshot().count(changed.query("Item")) == 1)
        try changed.close()
        let strangers = try raw.number(
            "SELECT count(*) FROM pg_class WHERE relname = 'stranger' "
                + "AND relnamespace = '\(place.quoted)'::regnamespace")
        #expect(strangers == 1)
    }

    @Test func aColumnThatAViewOfOthersNeedsIsNotDropped() throws {
        defer { schemas.destroyAll() }
        let place = schemas.next()
        let store = try place.open(model: Self.new(inPlace: true))
        try store.insert("Item", ["number": .integer(1), "text": .text("a")])
        try store.close()
        try raw.run(
            "CREATE VIEW \(place.quoted).stranger AS SELECT text FROM \(place.quoted).item")
        var policy = MigrationPolicy()
        policy.loss = .all
        let smaller = place.migrating(policy)
        #expect(storeErrorCode { try smaller.open(model: Self.old) } == .foreignFile)
        try raw.run("DROP VIEW \(place.quoted).stranger")
        let changed = try smaller.open(model: Self.old)
        #expect(try changed.snapshot().count(changed.query("Item")) == 1)
        try changed.close()
    }
}
