import DuramenModel
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Synchronization
import Testing

@testable import DuramenPostgres

/// Observers of saves, with and without notices of the server's.
@Suite(.enabled(if: TestServer.isThere)) struct ObserverTests {
    private let schemas: TestSchemas
    private let place: PersistentStoreDescription

    init() throws {
        schemas = try TestSchemas()
        place = try schemas.nextWithRole()
    }

    /// An observer that asks once when it starts, and then for hours only after notices.
    private final class Listener: Sendable {
        private let observer: ChangeObserver
        private let observation: StoreObservation
        private let calls = Calls()

        /// How often it was called, at first once: it may have missed a save.
        var callCount: Int { calls.count.load(ordering: .acquiring) }

        init(_ description: PersistentStoreDescription) throws {
            let location = try StoreLocation(description)
            let connection = try location.connect(description)
            defer { connection.close() }
            let catalog = Catalog(connection, location)
            let about = try catalog.about()
            let core = StoreCore(
                schema: PostgresSchema(
                    name: location.schema, model: FaultModel.model,
                    store: StoreHandle(uuid: about.uuid), known: try catalog.knownNames()),
                name: location.name, settings: StoreSettings(description, location.options),
                layout: about.layout, counters: StoreCounters())
            observer = ChangeObserver(core: core, location, description, pauseSeconds: 3_600)
            observation = observer.observe { [calls] in
                calls.count.add(1, ordering: .acquiringAndReleasing)
            }
            #expect(eventually { callCount == 1 })
        }

        func end() { observer.end() }

        private final class Calls: Sendable {
            let count = Atomic<Int>(0)
        }
    }

    @Test func aNoticeTellsOfASaveOfAnotherProcess() throws {
        defer { schemas.destroyAll() }
        let description = place.notifying()
        let writer = try description.open(model: FaultModel.model)
        let listener = try Listener(description)
        for number in 2...4 {
            try writer.insert("Tag")
            #expect(eventually { listener.callCount == number })
        }
        // A batch and a change of metadata are saves too.
        let batches = try #require(writer as? any BatchWritingStore)
        let key = try writer.allocateKeys(1, for: writer.entity("Tag").id).lowerBound
        let tag = try writer.row("Tag", key: key, [:])
        _ = try batches.writeBatch(ChangeSet()) { (batch) throws(StoreError) in
            var part = ChangeSet()
            part.inserts.append(tag)
            _ = try batch.write(part)
        }
        #expect(eventually { listener.callCount == 5 })
        try writer.saved(ChangeSet(metadata: ["name": .text("value")]))
        #expect(eventually { listener.callCount == 6 })
        listener.end()
        try writer.close()
    }

    @Test func aSaveSendsItsNumberIfItsProcessSendsNotices() throws {
        defer { schemas.destroyAll() }
        let quiet = try place.open(model: FaultModel.model)
        let loud = try place.notifying().open(model: FaultModel.model)
        let connection = try TestServer.connection()
        let uuid = try quiet.metadata().storeUUID
        _ = try connection.run(Statement("LISTEN \"duramen \(uuid)\"", prepared: false))
        var numbers: [String] = []
        for _ in 0..<3 {
            try quiet.insert("Tag")
            let id = try loud.insert("Tag")
            numbers.append("\(try loud.snapshot().generation.rawValue)")
            #expect(try quiet.snapshot().rows(for: [id]).count == 1)
        }
        var notices: [String] = []
        #expect(
            eventually {
                notices += connection.waitForNotices(seconds: 0.1)
                return notices.count >= 3
            })
        #expect(notices == numbers)
        for store in [quiet, loud] { try store.close() }
    }

    @Test func anObserverIsToldAfterALostConnectionAndListensAgain() throws {
        defer { schemas.destroyAll() }
        let description = place.notifying()
        let writer = try description.open(model: FaultModel.model)
        let listener = try Listener(description)
        let raw = try RawServer()
        try raw.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                + RawServer.about(place.location))
        #expect(eventually { listener.callCount == 2 }, "it may have missed a save")
        #expect(eventually { (try? writer.insert("Tag")) != nil })
        #expect(eventually { listener.callCount == 3 })
        listener.end()
        try writer.close()
        #expect(try raw.waitForNobody(place.location), "no connection is left")
    }

    @Test func aNoticeOfSomebodyElseCostsAQuestionAndTellsNobody() throws {
        defer { schemas.destroyAll() }
        let description = place.notifying()
        let writer = try description.open(model: FaultModel.model)
        let listener = try Listener(description)
        let uuid = try writer.metadata().storeUUID
        for text in ["", "no number", "9223372036854775807", "-1"] {
            try RawServer().run("SELECT pg_notify('duramen \(uuid)', '\(text)')")
        }
        try writer.insert("Tag")
        #expect(eventually { listener.callCount == 2 }, "of the save, which came last")
        listener.end()
        try writer.close()
    }
}
