import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenModel
import DuramenSQLite
import DuramenTestKit
import Foundation
import Testing

/// Contexts that are pinned to one state of their stores.
@Suite struct QueryGenerationTests {
    private static let unmerged = ContextOptions(
        name: "pinned", automaticallyMergesChangesFromParent: false)

    /// Quakes a and b of one region, and a context that is pinned to what is newest when it reads.
    private func fixture(
        _ kind: StoreKind, plan: FaultPlan? = nil
    ) throws -> (PersistentContainer, ManagedObjectContext) {
        let container = try kind.container(plan: plan)
        try fill(container)
        return (container, try pinned(container))
    }

    private func fill(_ container: PersistentContainer) throws {
        try container.saveElsewhere { context in
            let region = context.insertRegion("Honshu")
            _ = context.insertQuake("a", magnitude: 1, in: region)
            _ = context.insertQuake("b", magnitude: 2, in: region)
        }
    }

    private func pinned(
        _ container: PersistentContainer, to token: QueryGenerationToken = .current
    ) throws -> ManagedObjectContext {
        let context = container.makeContext(Self.unmerged)
        try context.setQueryGeneration(from: token)
        return context
    }

    private func quake(_ code: String, _ context: ManagedObjectContext) throws -> Quake {
        try #require(try context.quake(code))
    }

    @MainActor
    @Test("A list follows a context from state to state", arguments: StoreKind.allCases)
    func listsFollow(kind: StoreKind) async throws {
        let (container, context) = try fixture(kind)
        let list = try FetchedResults(FetchRequest<Quake>().sorted(by: \.code), in: context)
        // The first may be shown by the unit of work that fetched.
        for (code, count) in [("c", 3), ("d", 4)] {
            try container.saveElsewhere { _ = $0.insertQuake(code) }
            context.processPendingChanges()
            #expect(list.objects?.count == count - 1)
            try context.setQueryGeneration(from: nil)
            #expect(await eventually { list.objects?.count == count })
            try context.setQueryGeneration(from: .current)
            context.processPendingChanges()
        }
    }

    /// One change of every kind.
    private func change(_ container: PersistentContainer, step: Int = 0) throws {
        try container.saveElsewhere { context in
            let region = try #require(try context.fetch(FetchRequest<Region>()).first)
            region.name += "!"
            try #require(try context.quake("a")).magnitude += 10
            _ = context.insertQuake("new \(step)", in: region)
            if let b = try context.quake("b") { context.delete(b) }
        }
    }

    /// Code, magnitude and region of each quake, from fetches, counts, faults and to-manys.
    private func seen(_ context: ManagedObjectContext) throws -> [String] {
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(try context.count(for: FetchRequest<Quake>()) == quakes.count)
        let ids = try context.fetchObjectIDs(FetchRequest<Quake>().sorted(by: \.code))
        #expect(ids == quakes.map(\.objectID))
        let region = try #require(try context.fetch(FetchRequest<Region>()).first)
        #expect(Set(region.quakes.map(\.objectID)) == Set(ids))
        return try quakes.map {
            "\($0.code) \($0.magnitude) \(try $0.region?.value(\Region.name) ?? "-")"
        }
    }

    private let before = ["a 1.0 Honshu", "b 2.0 Honshu"]
    private let after = ["a 11.0 Honshu!", "new 0 1.0 Honshu!"]

    @Test(
        "Everything that a pinned context reads is of one state, whatever is saved meanwhile",
        arguments: StoreKind.allCases)
    func oneState(kind: StoreKind) throws {
        let (container, context) = try fixture(kind)
        #expect(context.queryGenerationToken == .current, "the pin waits for the first read")
        #expect(try seen(context) == before)
        #expect(context.queryGenerationToken != .current && context.queryGenerationToken != nil)
        try change(container)
        #expect(try seen(context) == before)
        try context.refreshAllObjects()
        #expect(try seen(context) == before, "refreshed objects, and faults")
        try context.refresh(try quake("a", context), mergeChanges: true)
        context.processPendingChanges()
        context.reset()
        #expect(try seen(context) == before, "a unit of work later, from nothing")
        try context.setQueryGeneration(from: .current)
        #expect(try seen(context) == after)
        try change(container, step: 1)
        try context.setQueryGeneration(from: nil)
        #expect(context.queryGenerationToken == nil)
        #expect(try context.count(for: FetchRequest<Quake>()) == 3)
    }

    @Test("The pin is taken by the first read, of whatever kind", arguments: StoreKind.allCases)
    func lazyPins(kind: StoreKind) throws {
        let (container, context) = try fixture(kind)
        let id = try quake("a", container.makeContext()).objectID
        try change(container)
        let fault = context.object(with: id, as: Quake.self)
        #expect(fault.magnitude == 11)
        try change(container, step: 1)
        #expect(try context.count(for: FetchRequest<Quake>()) == 2)
    }

    @Test("A token shows another context the same state", arguments: StoreKind.allCases)
    func sharedTokens(kind: StoreKind) throws {
        let (container, first) = try fixture(kind)
        #expect(try seen(first) == before)
        let token = try #require(first.queryGenerationToken)
        try change(container)
        let second = try pinned(container, to: token)
        #expect(try seen(second) == before)
        #expect(second.queryGenerationToken == token)
        let third = try pinned(container)
        #expect(try seen(third) == after)
        #expect(third.queryGenerationToken != token)
        // Back in time, with objects that were read later.
        try third.setQueryGeneration(from: token)
        #expect(try seen(third) == before)
    }

    @Test(
        "A save moves the pin to the state that it makes", arguments: StoreKind.allCases)
    func savesMoveThePin(kind: StoreKind) throws {
        let (container, context) = try fixture(kind)
        let (a, b) = (try quake("a", context), try quake("b", context))
        a.depth = 5
        try context.save()
        let token = try #require(context.queryGenerationToken)
        #expect(token != .current)
        #expect(!b.isFault, "nobody else saved, so that all is of the new state")
        try container.saveElsewhere { try #require(try $0.quake("b")).magnitude = 20 }
        #expect(try quake("b", context).magnitude == 2)
        a.depth = 6
        try context.save()
        #expect(context.queryGenerationToken != token)
        #expect(b.isFault && b.magnitude == 20, "what others saved is of the new state too")
        #expect(a.depth == 6)
        try change(container)
        #expect(try context.count(for: FetchRequest<Quake>()) == 2)
    }

    @Test(
        "What others saved since conflicts with changes on a pinned state",
        arguments: StoreKind.allCases)
    func conflicts(kind: StoreKind) throws {
        let (container, context) = try fixture(kind)
        let a = try quake("a", context)
        try change(container)
        a.magnitude = 5
        #expect(throws: SaveConflictError.self) { try context.save() }
        try context.refresh(a, mergeChanges: true)
        #expect(throws: SaveConflictError.self, "the pinned values are no newer ones") {
            try context.save()
        }
        context.rollback()
        #expect(a.magnitude == 1, "the state that is shown has not changed")
        #expect(try seen(context) == before)
        try context.setQueryGeneration(from: .current)
        a.magnitude = 5
        try context.save()
        #expect(try quake("a", container.makeContext()).magnitude == 5)
    }

    @Test("Changes are kept when a context is pinned, on the values that they are based on")
    func pinningKeepsChanges() throws {
        let (container, context) = try fixture(.memory)
        let (a, b) = (try quake("a", context), try quake("b", context))
        a.magnitude = 5
        let new = context.insertQuake("c", in: a.region)
        try change(container)
        try context.setQueryGeneration(from: .current)
        #expect(a.magnitude == 5 && a.isUpdated && new.isInserted && b.isFault)
        #expect(throws: ContextError.self) { try b.load() }
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.map(\.objectID) == [a.objectID])
    }

    @Test("A context that merges cannot be pinned, nor a pinned one merge")
    func notTogetherWithMerging() async throws {
        let (container, pinned) = try fixture(.memory)
        let context = container.makeContext()
        let error = #expect(throws: ContextError.self) {
            try context.setQueryGeneration(from: .current)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("automaticallyMergesChangesFromParent") == true)
        #expect(context.queryGenerationToken == nil)
        try context.setQueryGeneration(from: nil)
        pinned.automaticallyMergesChangesFromParent = false
        await #expect(processExitsWith: .failure) {
            let container = try makeContainer()
            let context = container.makeContext(
                ContextOptions(automaticallyMergesChangesFromParent: false))
            guard (try? context.setQueryGeneration(from: .current)) != nil else { return }
            context.automaticallyMergesChangesFromParent = true
        }
    }

    @Test("A token of another container is refused")
    func foreignTokens() throws {
        let (_, first) = try fixture(.memory)
        _ = try seen(first)
        let (_, second) = try fixture(.memory)
        #expect(try seen(second) == before)
        let own = second.queryGenerationToken
        let error = #expect(throws: ContextError.self) {
            try second.setQueryGeneration(from: first.queryGenerationToken)
        }
        #expect(error?.code == .invalidRequest)
        #expect(second.queryGenerationToken == own)
    }

    @Test("What waited to be merged is merged before the pin")
    func waitingChanges() throws {
        let container = try StoreKind.memory.container()
        try fill(container)
        let context = container.makeContext()
        let a = try quake("a", context)
        a.depth = 1
        try change(container)
        context.automaticallyMergesChangesFromParent = false
        try context.setQueryGeneration(from: .current)
        #expect(a.magnitude == 11 && a.depth == 1)
        try change(container, step: 1)
        context.processPendingChanges()
        #expect(a.magnitude == 11)
    }

    @Test("Stores that are added later are not read before the context is pinned anew")
    func storesAddedLater() async throws {
        let (container, context) = try fixture(.memory)
        #expect(try seen(context) == before)
        let waiting = try pinned(container)
        let added = try await container.addStore(StoreKind.sqlite.description)
        let id = try container.performInNewContext { other in
            let quake = other.insertQuake("elsewhere")
            try other.assign(quake, to: added)
            try other.save()
            return quake.objectID
        }
        #expect(try context.count(for: FetchRequest<Quake>()) == 2)
        #expect(try context.fetch(FetchRequest<Quake>()).count == 2)
        let error = #expect(throws: StoreError.self) { try context.existingObject(with: id) }
        #expect(error?.code == .invalidRequest)
        #expect(try waiting.count(for: FetchRequest<Quake>()) == 3, "it was not pinned yet")
        try context.setQueryGeneration(from: .current)
        #expect(try context.count(for: FetchRequest<Quake>()) == 3)
    }

    @Test("All stores are pinned at once, and a save moves the pin of those that it writes")
    func severalStores() throws {
        let stores = try TwoStores(.init(first: .sqlite, second: .lmdb)).filled()
        let context = try pinned(stores.container)
        let a = try quake("a", context)
        try stores.container.saveElsewhere { other in
            try #require(try other.quake("b")).magnitude = 20
            try #require(try other.quake("c")).magnitude = 30
        }
        #expect(try quake("b", context).magnitude == 2)
        a.magnitude = 10
        try context.save()
        #expect(try quake("c", context).magnitude == 30)
        #expect(try quake("b", context).magnitude == 2)
        try context.setQueryGeneration(from: .current)
        #expect(try quake("b", context).magnitude == 20)
    }

    @Test("A pin that a store cannot take after a save is taken by the next read")
    func aPinThatFails() throws {
        let plan = FaultPlan()
        let (container, context) = try fixture(.memory, plan: plan)
        let a = try quake("a", context)
        a.depth = 3
        plan.fail(.snapshot, with: .readersExhausted)
        try context.save()
        #expect(!context.hasChanges && context.queryGenerationToken == .current)
        try change(container)
        #expect(try quake("a", context).magnitude == 11)
    }

    @Test("A save of unknown outcome that was committed moves the pin when it is found out")
    func unknownOutcomes() throws {
        let plan = FaultPlan()
        let (container, context) = try fixture(.memory, plan: plan)
        let a = try quake("a", context)
        a.depth = 3
        plan.fail(.save, with: .unknownOutcome, .after)
        #expect(throws: StoreError.self) { try context.save() }
        try change(container)
        #expect(try context.resolveUnknownSave() == true)
        #expect(a.depth == 3 && a.magnitude == 11)
        #expect(try seen(context) == after)
    }
}

/// Pins that are held for longer than the lease of their store's snapshots.
@Suite struct QueryGenerationLeaseTests {
    private let time = ManualClock()

    private func open(_ kind: StoreKind) throws -> (PersistentContainer, String) {
        let description = kind.description.durability(.unsafeNoSync).snapshotLease(seconds: 300)
            .clock(time.clock)
        let container = try PersistentContainer.open(
            model: Seismology.model, stores: [description])
        let file =
            kind == .sqlite ? description.location + "-wal" : description.location + "/data.mdb"
        return (container, file)
    }

    private func bytes(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.size] as? Int)
    }

    /// Rewrites six megabytes and more.
    private func rewrite(_ container: PersistentContainer, _ round: Int) throws {
        for part in 0..<16 {
            try container.saveElsewhere { context in
                let region = try #require(try context.fetch(FetchRequest<Region>()).first)
                region.name = String(repeating: "\(round) \(part) ", count: 500_000 / 6)
            }
        }
    }

    @Test(
        "A forgotten pin does not make the files grow for ever: after its lease it ends, and nothing is lost",
        arguments: [StoreKind.sqlite, .lmdb])
    func forgottenPins(kind: StoreKind) throws {
        let (container, file) = try open(kind)
        try container.saveElsewhere { context in
            _ = context.insertQuake("a", magnitude: 1, in: context.insertRegion("first"))
        }
        let forgotten = container.makeContext(
            ContextOptions(name: "forgotten", automaticallyMergesChangesFromParent: false))
        try forgotten.setQueryGeneration(from: .current)
        let quake = try #require(try forgotten.quake("a"))
        quake.magnitude = 9
        for round in 0..<4 { try rewrite(container, round) }
        let blocked = try bytes(of: file)
        #expect(blocked > 20_000_000, "a pin keeps what is newer than its state: \(blocked)")
        #expect(quake.region?.name == "first")
        forgotten.reset()
        let again = try #require(try forgotten.quake("a"))
        again.magnitude = 9
        time.advance(seconds: 301)
        for round in 4..<12 { try rewrite(container, round) }
        let grown = try bytes(of: file) - blocked
        #expect(grown < 22_000_000, "50 MB were written and the file grew by \(grown)")

        let error = #expect(throws: StoreError.self) { try forgotten.fetch(FetchRequest<Quake>()) }
        #expect(error?.code == .snapshotExpired)
        #expect(error?.message.contains("setQueryGeneration(from: .current)") == true)
        #expect(throws: StoreError.self) { try forgotten.count(for: FetchRequest<Region>()) }
        #expect(again.magnitude == 9 && again.isUpdated, "changes are kept")
        try forgotten.setQueryGeneration(from: .current)
        #expect(try forgotten.fetch(FetchRequest<Quake>()) == [again])
        #expect(again.region?.name.hasPrefix("11 15") == true)
        try forgotten.save()
        #expect(try container.makeContext().quake("a")?.magnitude == 9)
        try container.close()
    }

    @Test(
        "Changes on a pin that ended can be saved without pinning anew",
        arguments: [StoreKind.sqlite, .lmdb])
    func savingAfterTheEnd(kind: StoreKind) throws {
        let (container, _) = try open(kind)
        try container.saveElsewhere { _ = $0.insertQuake("a", magnitude: 1) }
        let context = container.makeContext(
            ContextOptions(name: "pinned", automaticallyMergesChangesFromParent: false))
        try context.setQueryGeneration(from: .current)
        let quake = try #require(try context.quake("a"))
        quake.magnitude = 9
        time.advance(seconds: 301)
        try container.saveElsewhere { _ = $0.insertQuake("b") }
        let store = container.persistentStoreCoordinator.store
        #expect(try store.maintainIfCapable().endedSnapshots == 1)
        #expect(throws: StoreError.self) { try context.quake("b") }
        try context.save()
        #expect(
            try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map(\.magnitude) == [9, 1])
        try container.close()
    }

    @Test(
        "A pin within its lease is read from, however much is saved",
        arguments: [StoreKind.sqlite, .lmdb])
    func withinTheLease(kind: StoreKind) throws {
        let (container, _) = try open(kind)
        try container.saveElsewhere { context in
            _ = context.insertQuake("a", magnitude: 1, in: context.insertRegion("first"))
        }
        let context = container.makeContext(
            ContextOptions(name: "pinned", automaticallyMergesChangesFromParent: false))
        try context.setQueryGeneration(from: .current)
        #expect(try context.count(for: FetchRequest<Region>()) == 1)
        time.advance(seconds: 299)
        for round in 0..<5 { try rewrite(container, round) }
        #expect(try context.fetch(FetchRequest<Region>()).map(\.name) == ["first"])
        try container.close()
    }
}

/// A clock that stands still until a test moves it.
private final class ManualClock: Sendable {
    private let elapsed = Locked(Duration.zero)

    var clock: StoreClock { StoreClock { self.elapsed.withLock { $0 } } }

    func advance(seconds: Double) { elapsed.withLock { $0 += .seconds(seconds) } }
}

extension PersistentContainer {
    /// Runs a closure with a context of its own, here and now.
    fileprivate func performInNewContext<Result: Sendable>(
        _ body: (ManagedObjectContext) throws -> Result
    ) throws -> Result { try body(makeContext(ContextOptions(name: "other"))) }
}
