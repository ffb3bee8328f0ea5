import DuramenModel
import DuramenPostgres
import DuramenQuery
import DuramenStore
import StoreTestSupport
import Testing

@testable import DuramenPostgres

/// Passwords and values that nobody may read in messages.
@Suite(.enabled(if: TestServer.isThere)) struct SecretTests {
    private static let password = "Marker-Password-71"
    private static let values: [StoredValue] = [.text("MarkerText72"), .integer(7_372_737_274)]
    private static let words = [password, "MarkerText72", "7372737274"]

    private func expectNothing(in text: String, _ place: String) {
        for word in Self.words { #expect(!text.contains(word), "\(place) has \(word)") }
    }

    private func everyForm(of value: some Any) -> String {
        var text = "\(value) " + String(reflecting: value)
        dump(value, to: &text)
        return text
    }

    /// A store with a role whose password is the marker.
    private func makePlace(_ schemas: TestSchemas) throws -> PersistentStoreDescription {
        let place = try schemas.nextWithRole()
        try RawServer().run("ALTER ROLE \(place.quoted) PASSWORD '\(Self.password)'")
        return .postgres(
            try TestServer.text(user: place.location, Self.password), schema: place.location
        ).allowingUnsafeServer().timeout(seconds: 5)
    }

    @Test func noDescriptionHasAPassword() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = try makePlace(schemas)
        expectNothing(in: everyForm(of: place), "the description")
        expectNothing(in: everyForm(of: try StoreLocation(place)), "the location")
        let store = try place.open(model: FaultModel.model)
        let id = try store.insert("Tag", ["label": Self.values[0]])
        let snapshot = try store.snapshot()
        expectNothing(in: everyForm(of: store), "the store")
        expectNothing(in: everyForm(of: snapshot), "a snapshot")
        expectNothing(in: everyForm(of: id), "an ID")
        expectNothing(in: everyForm(of: try store.metadata()), "the metadata")
        try store.close()
    }

    @Test func noErrorHasAPasswordOrAValue() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = try makePlace(schemas)
        let store = try place.open(model: FaultModel.model)
        let id = try store.insert("Tag", ["label": Self.values[0], "code": Self.values[0]])
        let raw = try RawServer()
        var errors: [any Error] = []
        func record(_ work: () throws -> Void) { do { try work() } catch { errors.append(error) } }
        // Errors of the server, whose own words have the values.
        let rows = [
            try store.row("Tag", key: id.key, ["label": Self.values[0]]),
            try store.row("Tag", key: id.key + 1, ["code": Self.values[0]]),
        ]
        record { try store.saved(ChangeSet(inserts: RowList([rows[0]]))) }
        record { try store.saved(ChangeSet(inserts: RowList([rows[1]]))) }
        try raw.run("ALTER TABLE \(place.quoted).tag ADD CHECK (label <> 'MarkerText72') NOT VALID")
        record { try store.insert("Tag", ["label": Self.values[0]]) }
        try raw.run("ALTER TABLE \(place.quoted).counter ADD CHECK (value < 5)")
        record { try store.insert("Counter", ["value": Self.values[1]]) }
        try raw.run("ALTER TABLE \(place.quoted).tag ALTER code TYPE integer USING NULL")
        record { try store.insert("Tag", ["code": Self.values[0]]) }
        record { _ = try store.keys(store.query("Tag", compare("code", .equal, Self.values[0]))) }
        #expect(errors.count == 6)
        for error in errors { expectNothing(in: everyForm(of: error), "an error") }
        try store.close()
    }

    @Test func noFailureToConnectHasAPassword() throws {
        let words = [
            "host=/nowhere user=a password='\(Self.password)'",
            "postgres://a:\(Self.password)@127.0.0.1:1/b",
            "postgres://a:\(Self.password)@127.0.0.1:1/b?sslmode=disable",
            "postgres://a:\(Self.password)@[::1/b", "postgres://a:\(Self.password)%zz@h/b",
            "host=h password=\(Self.password) nonsense=1", "password=\(Self.password) host",
            "password='\(Self.password)", "postgres://a:\(Self.password)@h/b?\(Self.password)=1",
            try TestServer.text(user: "nobody at all", Self.password),
        ]
        for text in words {
            let place = PersistentStoreDescription.postgres(text).timeout(seconds: 1)
            do {
                _ = try place.open(model: FaultModel.model)
                Issue.record("opened")
            } catch {
                expectNothing(in: everyForm(of: error), "an error")
            }
            do {
                _ = try PostgresStoreType().description(forLocation: text)
            } catch {
                expectNothing(in: everyForm(of: error), "an error")
            }
        }
    }

    @Test func noExplanationHasAValue() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let store = try makePlace(schemas).open(model: FaultModel.model)
        try store.insert("Tag", ["label": Self.values[0]])
        let snapshot = try #require(try store.snapshot() as? any ExplainingSnapshot)
        let queries = [
            try store.query("Tag", compare("label", .equal, Self.values[0])),
            try store.query("Tag", compare("label", .isIn, [Self.values[0], .text("b")])),
            try store.query("Counter", compare("value", .greater, Self.values[1])),
            try store.query("Counter"),
        ]
        for query in queries {
            let steps = try snapshot.steps(of: store.pushdown(for: query).prepared)
            #expect(steps.count > 1)
            for step in steps { expectNothing(in: step, "a step") }
            // It leaves the state as it was.
            #expect(try store.snapshot().count(store.query("Tag")) == 1)
        }
        try store.close()
    }
}
