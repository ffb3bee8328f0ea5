import DuramenModel
import DuramenPostgres
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Connections that end before, within or after the COMMIT of a save.
@Suite(.enabled(if: TestServer.isThere)) struct CommitFaultTests {
    /// A store behind a proxy, and one beside it.
    private struct Pair {
        let proxy: FaultProxy
        let place: PersistentStoreDescription
        let store: any PersistentStore
        let witness: any PersistentStore

        init?(_ schemas: TestSchemas) throws {
            guard let proxy = try FaultProxy() else { return nil }
            self.proxy = proxy
            place = try schemas.nextWithRole()
            // By the same way: to this process, a store at another place is a copy.
            witness = try proxy.through(place).open(model: FaultModel.model)
            store = try proxy.through(place).timeout(seconds: 20).open(model: FaultModel.model)
        }

        func change(_ label: String) throws -> ChangeSet {
            let key = try store.allocateKeys(1, for: store.entity("Tag").id).lowerBound
            return ChangeSet(
                inserts: RowList([
                    try store.row("Tag", key: key, ["label": .text(StoredText(label))])
                ]))
        }

        func isStored(_ label: String) throws -> Bool {
            try !witness.keys(
                witness.query("Tag", compare("label", .equal, .text(StoredText(label))))
            ).isEmpty
        }

        func close() throws {
            try store.close()
            try witness.close()
            proxy.end()
        }
    }

    @Test(arguments: [ProxyLink.Fault.cutBefore, .cutWithin, .cutAfter, .warn])
    func anUnknownOutcomeIsResolvedAsTheTablesSay(_ fault: ProxyLink.Fault) throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        guard let pair = try Pair(schemas) else { return }
        let raw = try RawServer()
        for number in 0..<TestSizes.cuts {
            let changes = try pair.change("save \(number)")
            pair.proxy.arm(fault)
            #expect(storeErrorCode { try pair.store.save(changes) } == .unknownOutcome)
            // Otherwise the question may come before the server has done what it received.
            let isDone = number.isMultiple(of: 2) || fault == .warn
            if isDone {
                let isIdle = try raw.waitFor(pair.place.location, "state <> 'idle'", atMost: 0)
                #expect(isIdle)
            }
            let generation = try pair.store.generation(ofSave: changes.identifier)
            #expect(try pair.isStored("save \(number)") == (generation != nil))
            #expect(try pair.witness.generation(ofSave: changes.identifier) == generation)
            switch fault {
            case .cutBefore, .cutWithin: #expect(generation == nil)
            default: #expect(generation != nil || !isDone)
            }
            // A second look gives the same answer, and the store goes on.
            #expect(try pair.store.generation(ofSave: changes.identifier) == generation)
            let next = try pair.store.saved(try pair.change("next \(number)"))
            if let generation { #expect(next.generation > generation) }
        }
        try pair.close()
    }

    @Test func aSaveThatWasGivenUpNeverComes() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        guard let pair = try Pair(schemas) else { return }
        let changes = try pair.change("late")
        pair.proxy.arm(.cutBefore)
        #expect(storeErrorCode { try pair.store.save(changes) } == .unknownOutcome)
        #expect(try pair.store.generation(ofSave: changes.identifier) == nil)
        // The same save, sent again, is refused: somebody may have been told that it is not there.
        #expect(storeErrorCode { try pair.witness.save(changes) } == .invalidRequest)
        #expect(try !pair.isStored("late"))
        try pair.close()
    }

    @Test(arguments: [true, false])
    func aHeldCommitIsNotAnsweredTooEarly(_ commits: Bool) throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        guard let pair = try Pair(schemas) else { return }
        let raw = try RawServer()
        for number in 0..<TestSizes.fences {
            let changes = try pair.change("held \(number)")
            pair.proxy.arm(.hold)
            #expect(storeErrorCode { try pair.store.save(changes) } == .unknownOutcome)
            #expect(try Self.isHeld(pair.place, raw))
            let store = pair.store
            let answer = Background { try store.generation(ofSave: changes.identifier) }
            let isWaiting = try raw.waitFor(
                pair.place.location, "wait_event = 'transactionid'", atLeast: 1)
            #expect(isWaiting)
            #expect(!answer.hasEnded)
            pair.proxy.release(commits: commits)
            let generation = try answer.value()
            #expect((generation != nil) == commits)
            #expect(try pair.isStored("held \(number)") == commits)
        }
        try pair.close()
    }

    /// Waits until the server has done everything of a save but its COMMIT.
    private static func isHeld(
        _ place: PersistentStoreDescription, _ raw: RawServer
    ) throws -> Bool {
        try raw.waitFor(
            place.location,
            "state = 'active' AND wait_event = 'ClientRead' AND query LIKE '%nextval%'",
            atLeast: 1)
    }

    @Test func aLookUpBehindALongCommitIsBusyAndIsMadeAgain() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        guard let proxy = try FaultProxy() else { return }
        let place = try schemas.nextWithRole()
        let store = try proxy.through(place).timeout(seconds: 0.5).open(model: FaultModel.model)
        let key = try store.allocateKeys(1, for: store.entity("Tag").id).lowerBound
        let changes = ChangeSet(inserts: RowList([try store.row("Tag", key: key, [:])]))
        proxy.arm(.hold)
        #expect(storeErrorCode { try store.save(changes) } == .unknownOutcome)
        #expect(try Self.isHeld(place, RawServer()))
        #expect(
            storeErrorCode { try store.generation(ofSave: changes.identifier) } == .storeBusy)
        proxy.release(commits: true)
        let found = try eventually {
            do throws(StoreError) {
                return try store.generation(ofSave: changes.identifier) != nil
            } catch {
                if error.code == .storeBusy { return false }
                throw error
            }
        }
        #expect(found)
        try store.close()
        proxy.end()
    }

    @Test func aBatchOfUnknownOutcomeIsResolvedToo() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        guard let pair = try Pair(schemas) else { return }
        let batches = try #require(pair.store as? any BatchWritingStore)
        for fault in [ProxyLink.Fault.cutBefore, .cutWithin, .cutAfter, .warn] {
            let heading = ChangeSet()
            let part = try pair.change("batch \(fault)")
            pair.proxy.arm(fault)
            let code = storeErrorCode {
                try batches.writeBatch(heading) { (batch) throws(StoreError) in
                    _ = try batch.write(part)
                }
            }
            #expect(code == .unknownOutcome)
            let generation = try pair.store.generation(ofSave: heading.identifier)
            #expect(try pair.isStored("batch \(fault)") == (generation != nil))
        }
        try pair.close()
    }
}
