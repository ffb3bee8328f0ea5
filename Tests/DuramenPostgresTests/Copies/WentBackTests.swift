import DuramenModel
import DuramenPostgres
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Stores whose last saves are lost: a standby took over, or a backup was restored.
@Suite(.enabled(if: TestServer.isThere)) struct WentBackTests {
    private let schemas: TestSchemas
    private let place: PersistentStoreDescription
    private let store: any PersistentStore
    private let raw: RawServer

    init() throws {
        schemas = try TestSchemas()
        place = try schemas.nextWithRole()
        store = try place.open(model: FaultModel.model)
        raw = try RawServer()
        for _ in 0..<3 { try store.insert("Tag") }
    }

    /// Ends all connections of the store, as a server does that fails.
    private func breakConnections() throws {
        try raw.run(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE "
                + RawServer.about(place.location))
    }

    @Test func aReconnectToTheSameStateGoesOn() throws {
        defer { schemas.destroyAll() }
        try breakConnections()
        try store.insert("Tag")
        #expect(try store.snapshot().count(store.query("Tag")) == 4)
        try store.close()
    }

    @Test func aStoreWithoutItsLastSaveWentBack() throws {
        defer { schemas.destroyAll() }
        try raw.run(
            "DELETE FROM \(place.quoted).saves WHERE number = "
                + "(SELECT max(number) FROM \(place.quoted).saves)")
        try breakConnections()
        #expect(storeErrorCode { try store.snapshot() } == .storeWentBack)
        // It stays so, also for saves.
        #expect(storeErrorCode { try store.insert("Tag") } == .storeWentBack)
        #expect(storeErrorCode { try store.metadata() } == .storeWentBack)
        try store.close()
        let again = try place.open(model: FaultModel.model)
        try again.insert("Tag")
        #expect(try again.snapshot().count(again.query("Tag")) == 4)
        try again.close()
    }

    @Test func aNumberThatNamesAnotherSaveWentBack() throws {
        defer { schemas.destroyAll() }
        try raw.run(
            "UPDATE \(place.quoted).saves SET stamp = stamp + 1000000 WHERE number = "
                + "(SELECT max(number) FROM \(place.quoted).saves)")
        try breakConnections()
        #expect(storeErrorCode { try store.insert("Tag") } == .storeWentBack)
        try store.close()
    }

    @Test func aSaveThatWasTrimmedMeanwhileIsNotMissed() throws {
        defer { schemas.destroyAll() }
        try raw.run(
            "INSERT INTO \(place.quoted).saves (number, stamp, at) SELECT g + 10000, "
                + "g + 10000000, 0 FROM generate_series(1, 2048) AS g")
        try raw.run("DELETE FROM \(place.quoted).saves WHERE number < 10000")
        try breakConnections()
        #expect(try store.snapshot().generation.rawValue == 12_048)
        try store.close()
    }
}
