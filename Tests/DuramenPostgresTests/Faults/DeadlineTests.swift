import DuramenModel
import DuramenPostgres
import DuramenStore
import StoreTestSupport
import Testing

/// A server from which nothing comes any more.
@Suite(.enabled(if: TestServer.isThere)) struct DeadlineTests {
    private static let timeoutSeconds = 0.5
    /// The time-out, the patience for an answer, and what a busy machine adds.
    private static let most = Duration.seconds(timeoutSeconds + 6)

    private func timed(_ work: () throws -> Void) -> (StoreError.Code?, Duration) {
        let began = ContinuousClock.now
        return (storeErrorCode(work), ContinuousClock.now - began)
    }

    @Test func nothingHangsWhenPacketsAreSwallowed() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        guard let proxy = try FaultProxy() else { return }
        let place = try schemas.nextWithRole()
        let through = try proxy.through(place).timeout(seconds: Self.timeoutSeconds)
        let store = try through.open(model: FaultModel.model)
        try store.insert("Tag")
        let key = try store.allocateKeys(1, for: store.entity("Tag").id).lowerBound
        let changes = ChangeSet(inserts: RowList([try store.row("Tag", key: key, [:])]))
        _ = try store.snapshot()
        let batches = try #require(store as? any BatchWritingStore)
        // The save and the batch each find a connection that is open.
        _ = try batches.writeBatch(ChangeSet()) { (_) throws(StoreError) in
            _ = try store.generation(ofSave: changes.identifier)
        }
        proxy.swallowAll(true)
        try inThreads(6) { number in
            let (code, duration) = timed {
                switch number {
                case 0: _ = try store.save(changes)
                case 1: _ = try store.snapshot()
                case 2: _ = try store.allocateKeys(100_000, for: store.entity("Tag").id)
                case 3: _ = try batches.writeBatch(ChangeSet()) { _ in }
                case 4: _ = try store.metadata()
                default: _ = try through.open(model: FaultModel.model)
                }
            }
            #expect(duration < Self.most, "\(number): \(duration)")
            switch number {
            case 0: #expect(code == .unknownOutcome)
            default: #expect(code == .storeBusy || code == .storeUnavailable, "\(number)")
            }
        }
        proxy.swallowAll(false)
        // The save may have been swallowed whole: it is found out on a new connection.
        #expect(try store.generation(ofSave: changes.identifier) == nil)
        try store.insert("Tag")
        #expect(try store.snapshot().count(store.query("Tag")) == 2)
        try store.close()
        proxy.end()
        let isLeft = try RawServer().waitForNobody(place.location)
        #expect(isLeft, "no connection is left")
    }

    @Test func aSaveBehindALongBatchIsBusyInTime() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = try schemas.nextWithRole().timeout(seconds: Self.timeoutSeconds)
        let store = try place.open(model: FaultModel.model)
        let id = try store.insert("Tag")
        let raw = try RawServer()
        try raw.run("BEGIN")
        try raw.run("LOCK TABLE \(place.quoted).gate IN EXCLUSIVE MODE")
        let (code, duration) = timed { try store.insert("Tag") }
        #expect(code == .storeBusy)
        #expect(duration < Self.most)
        // Reading needs no gate.
        #expect(try store.snapshot().rows(for: [id]).count == 1)
        try raw.run("ROLLBACK")
        try store.insert("Tag")
        try store.close()
    }

    @Test func batchesThatWaitForEachOtherLeaveAConnectionForKeys() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = try schemas.nextWithRole().timeout(seconds: 20)
        let store = try place.open(model: FaultModel.model)
        let batches = try #require(store as? any BatchWritingStore)
        let (begun, othersWait) = (Meeting(2), Meeting(2))
        let first = Background {
            try batches.writeBatch(ChangeSet()) { (batch) throws(StoreError) in
                begun.meet()
                othersWait.meet()
                // More than there are on lease.
                _ = try batch.allocateKeys(100_000, for: store.model.entities[0].id)
            }
        }
        begun.meet()
        let others = (0..<6).map { _ in Background { _ = try store.insert("Counter") } }
        // They have every connection for saves, and wait for the batch.
        let raw = try RawServer()
        #expect(try raw.waitForWaiting(place.location, 3))
        othersWait.meet()
        // Nothing was written, and nothing failed.
        #expect(try first.value() == nil)
        for other in others { try other.value() }
        try store.close()
    }
}
