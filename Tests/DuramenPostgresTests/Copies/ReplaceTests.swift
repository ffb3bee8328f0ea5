import DuramenModel
import DuramenPostgres
import DuramenStore
import StoreTestSupport
import Testing

/// Stores that are replaced by copies of others.
@Suite(.enabled(if: TestServer.isThere)) struct ReplaceTests {
    private let schemas: TestSchemas
    private let place: PersistentStoreDescription
    private let backup: PersistentStoreDescription
    private let raw: RawServer

    init() throws {
        schemas = try TestSchemas()
        place = schemas.next().timeout(seconds: 1)
        backup = schemas.next()
        raw = try RawServer()
        let store = try place.open(model: FaultModel.model)
        try store.insert("Tag", ["label": .text("kept")])
        try place.type.copy(place, to: backup)
        try store.insert("Tag", ["label": .text("lost")])
        try store.close()
    }

    private func labels() throws -> [StoredValue?] {
        let store = try place.open(model: FaultModel.model)
        defer { try? store.close() }
        return try store.all("Tag", in: store.snapshot()).map { store.values($0)["label"] }
    }

    @Test func whoHasTheReplacedStoreOpenNotices() throws {
        defer { schemas.destroyAll() }
        let store = try place.open(model: FaultModel.model)
        try store.insert("Tag")
        try place.replaceStore(with: backup)
        #expect(storeErrorCode { try store.snapshot() } == .storeMigrated)
        #expect(storeErrorCode { try store.insert("Tag") } == .storeMigrated)
        try store.close()
        #expect(try labels() == [.text("kept")])
    }

    @Test func aHeldStateKeepsTheStoreFromBeingReplaced() throws {
        defer { schemas.destroyAll() }
        let store = try place.open(model: FaultModel.model)
        let snapshot = try store.snapshot()
        #expect(storeErrorCode { try place.replaceStore(with: backup) } == .storeBusy)
        #expect(try snapshot.count(store.query("Tag")) == 2)
        try store.close()
    }

    @Test func aMissingStoreIsMade() throws {
        defer { schemas.destroyAll() }
        try place.destroyStore()
        try place.replaceStore(with: backup)
        #expect(try labels() == [.text("kept")])
    }

    @Test func aReplacementThatFailsLeavesTheStoreAndNothingElse() throws {
        defer { schemas.destroyAll() }
        try raw.run("CREATE VIEW \(place.quoted).stranger AS SELECT * FROM \(place.quoted).store")
        #expect(storeErrorCode { try place.replaceStore(with: backup) } == .foreignFile)
        #expect(try labels() == [.text("kept"), .text("lost")])
        #expect(
            try raw.number(
                "SELECT count(*) FROM pg_namespace AS n JOIN pg_class AS c "
                    + "ON c.relnamespace = n.oid AND c.relname = 'store' "
                    + "WHERE n.nspname LIKE 'duramen %'") == 0)
    }
}
