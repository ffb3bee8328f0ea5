import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenPostgres

/// What opening finds.
@Suite(.enabled(if: TestServer.isThere)) struct OpeningTests {
    private let schemas: TestSchemas

    init() throws { schemas = try TestSchemas() }

    private func codeOfOpening(_ place: PersistentStoreDescription) -> StoreError.Code? {
        storeErrorCode { try place.open(model: FaultModel.model) }
    }

    @Test func aMissingDatabaseIsMissing() throws {
        let settings = try TestServer.settings().parameters
        let text = try TestServer.text(
            user: settings["user"] ?? "", settings["password"] ?? "", database: "nothing here")
        #expect(codeOfOpening(.postgres(text)) == .storeMissing)
    }

    @Test func aMissingStoreIsMissingWhenItIsOnlyRead() throws {
        #expect(codeOfOpening(schemas.next().readOnly()) == .storeMissing)
    }

    @Test func aServerThatIsNotThereIsUnavailable() {
        #expect(codeOfOpening(.postgres("host=/nowhere")) == .storeUnavailable)
    }

    @Test func aSchemaOfOthersIsForeign() throws {
        defer { schemas.destroyAll() }
        let place = schemas.next()
        let raw = try RawServer()
        try raw.run("CREATE SCHEMA \(place.quoted)")
        try raw.run("CREATE TABLE \(place.quoted).orders (id int)")
        #expect(codeOfOpening(place) == .foreignFile)
        #expect(storeErrorCode { try place.destroyStore() } == .foreignFile)
        try raw.run("DROP TABLE \(place.quoted).orders")
        // An empty schema is taken.
        try place.open(model: FaultModel.model).close()
        try raw.run("CREATE TABLE \(place.quoted).orders (id int)")
        #expect(storeErrorCode { try place.destroyStore() } == .foreignFile)
        try raw.run("DROP TABLE \(place.quoted).orders")
    }

    @Test func aNewerFormatAndAnotherModelAreRefused() throws {
        defer { schemas.destroyAll() }
        let place = schemas.next()
        try place.open(model: FaultModel.model).close()
        #expect(
            storeErrorCode { try place.open(model: FaultModel.derived) } == .incompatibleModel)
        try RawServer().run("UPDATE \(place.quoted).store SET format = 1000")
        #expect(codeOfOpening(place) == .newerFormat)
    }

    @Test func ofManyFirstOpenersOneMakesTheStore() throws {
        defer { schemas.destroyAll() }
        for _ in 0..<3 {
            let place = schemas.next().timeout(seconds: 60)
            let meeting = Meeting(4)
            let identities = Locked<Set<UUID?>>([])
            try inThreads(4) { _ in
                meeting.meet()
                let store = try place.open(model: FaultModel.model)
                let identity = store.handle.uuid
                identities.withLock { _ = $0.insert(identity) }
                try store.insert("Tag")
                try store.close()
            }
            #expect(identities.withLock { $0.count } == 1)
            let store = try place.open(model: FaultModel.model)
            #expect(try store.snapshot().count(store.query("Tag")) == 4)
            try store.close()
        }
    }

    @Test func aChangedPasswordIsDenied() throws {
        defer { schemas.destroyAll() }
        let place = try schemas.nextWithRole().timeout(seconds: 5)
        let store = try place.open(model: FaultModel.model)
        try store.insert("Tag")
        var held: [any StoreSnapshot] = [try store.snapshot()]
        try RawServer().run("ALTER ROLE \(place.quoted) PASSWORD 'another'")
        // Open connections go on.
        try store.insert("Tag")
        let code = storeErrorCode { held.append(try store.snapshot()) }
        #expect(code == .permissionDenied)
        #expect(codeOfOpening(place) == .permissionDenied)
        held = []
        try store.close()
    }

    @Test func aRoleWithoutConnectionsLeftIsBusy() throws {
        defer { schemas.destroyAll() }
        let place = try schemas.nextWithRole("").timeout(seconds: 5)
        let raw = try RawServer()
        try raw.run("GRANT CREATE ON DATABASE postgres TO \(place.quoted)")
        let store = try place.open(model: FaultModel.model)
        try store.insert("Tag")
        let held = try store.snapshot()
        try raw.run("ALTER ROLE \(place.quoted) CONNECTION LIMIT 1")
        try store.insert("Tag")
        #expect(storeErrorCode { try store.snapshot() } == .storeBusy)
        #expect(codeOfOpening(place) == .storeBusy)
        #expect(try held.count(store.query("Tag")) == 1)
        try raw.run("ALTER ROLE \(place.quoted) CONNECTION LIMIT -1")
        #expect(try store.snapshot().count(store.query("Tag")) == 2)
        try store.close()
    }
}
