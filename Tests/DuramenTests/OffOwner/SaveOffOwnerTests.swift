import Duramen
import DuramenModel
import DuramenTestKit
import Testing

/// Saving while the owner goes on. The stores hold every call until they are told to go on, so that
/// an owner who waited for one would never get there.
@MainActor
@Suite(.serialized) struct SaveOffOwnerTests {
    private let plan = FaultPlan()

    private func container(
        _ kind: StoreKind, _ model: ManagedObjectModel = Seismology.model
    ) throws -> PersistentContainer {
        try kind.container(model, plan: plan)
    }

    /// Begins a save whose calls the store holds.
    private func held(_ context: ManagedObjectContext) async -> Task<Void, any Error> {
        plan.hold()
        let task = Task { try await context.saveOffOwner() }
        await plan.waitForHeldCalls()
        return task
    }

    /// Lets calls go on until the save itself is held.
    private func heldWriting(_ context: ManagedObjectContext) async throws -> Task<Void, any Error>
    {
        try context.obtainPermanentIDs(for: context.insertedObjects)
        return await held(context)
    }

    private func stored(_ container: PersistentContainer) throws -> [String] {
        let context = container.makeContext()
        return try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map { quake in
            "\(quake.code) \(quake.magnitude) \(quake.region?.name ?? "-") "
                + quake.tags.map(\.name).sorted().joined()
        }
    }

    @Test("The owner goes on while the store takes its time", arguments: StoreKind.allCases)
    func ownersGoOn(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.viewContext
        let quake = context.insertQuake("a", in: context.insertRegion("region"))
        quake.tags.insert(context.insertTag("felt"))
        let task = try await heldWriting(context)
        #expect(context.hasChanges && quake.isInserted && !context.hasSaveOfUnknownOutcome)
        plan.release()
        try await task.value
        #expect(!context.hasChanges && !quake.isInserted && !quake.objectID.isTemporaryID)
        #expect(try stored(container) == ["a 1.0 region felt"])
        quake.magnitude = 2
        try await context.saveOffOwner()
        context.delete(quake)
        try await context.saveOffOwner()
        #expect(try stored(container) == [] && !context.hasChanges)
        let saves = plan.count(of: .save)
        try await context.saveOffOwner()
        #expect(plan.count(of: .save) == saves)
    }

    @Test("A list of what is stored shows what is saved", arguments: StoreKind.allCases)
    func listsOfWhatIsStored(kind: StoreKind) async throws {
        let context = try container(kind).viewContext
        var request = FetchRequest<Quake>().sorted(by: \.code)
        request.includesPendingChanges = false
        let list = try FetchedResults(request, in: context)
        let (first, second) = (context.insertQuake("a"), context.insertQuake("b"))
        for expected in [[first, second], [second]] {
            try await context.saveOffOwner()
            #expect(await eventually { list.objects?.objectIDs == expected.map(\.objectID) })
            context.delete(first)
        }
    }

    @Test(
        "What the owner changes meanwhile is left for the next save", arguments: StoreKind.allCases)
    func changesMeanwhile(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.viewContext
        let (kept, dropped) = (context.insertQuake("a"), context.insertQuake("b"))
        let tag = context.insertTag("felt")
        try context.save()
        kept.magnitude = 2
        dropped.magnitude = 2
        let new = context.insertQuake("c")
        let task = try await heldWriting(context)
        kept.magnitude = 3
        new.magnitude = 4
        new.tags.insert(tag)
        context.delete(dropped)
        let later = context.insertQuake("d")
        plan.release()
        try await task.value
        #expect(try stored(container) == ["a 2.0 - ", "b 2.0 - ", "c 1.0 - "])
        #expect(kept.magnitude == 3 && kept.isUpdated && later.isInserted && dropped.isDeleted)
        #expect(!new.isInserted && new.magnitude == 4 && Array(tag.quakes) == [new])
        try await context.saveOffOwner()
        #expect(try stored(container) == ["a 3.0 - ", "c 4.0 - felt", "d 1.0 - "])
        #expect(!context.hasChanges)
    }

    @Test(
        "A rollback meanwhile drops what is written, which comes back as if somebody else had saved it",
        arguments: StoreKind.allCases)
    func rollbackMeanwhile(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.viewContext
        let quake = context.insertQuake("a")
        try context.save()
        quake.magnitude = 5
        let task = try await heldWriting(context)
        context.rollback()
        #expect(quake.magnitude == 1 && !context.hasChanges)
        plan.release()
        try await task.value
        #expect(quake.magnitude == 5 && !context.hasChanges)
        quake.magnitude = 6
        try context.save()
        #expect(try stored(container) == ["a 6.0 - "])
    }

    @Test("Saves follow each other, and a blocking one waits", arguments: StoreKind.allCases)
    func savesInARow(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.viewContext
        let quake = context.insertQuake("a")
        let first = try await heldWriting(context)
        quake.magnitude = 2
        let second = Task { try await context.saveOffOwner() }
        for _ in 0..<100 { await Task.yield() }
        #expect(plan.count(of: .save) == 1)
        plan.release()
        try await first.value
        try await second.value
        #expect(try stored(container) == ["a 2.0 - "])
        quake.magnitude = 3
        let third = await held(context)
        quake.magnitude = 4
        plan.release()
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stored(container) == ["a 4.0 - "])
        try await third.value
    }

    @Test("Conflicts are thrown, or settled by the policy", arguments: StoreKind.allCases)
    func conflicts(kind: StoreKind) async throws {
        for policy in [MergePolicy.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
            let container = try container(kind)
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let quake = context.insertQuake("a")
            try context.save()
            quake.magnitude = 2
            quake.depth = 10
            let task = await held(context)
            plan.release()
            _ = await task.result
            quake.magnitude = 3
            quake.depth = 20
            try container.saveElsewhere { try #require(try $0.quake("a")).magnitude = 9 }
            if policy.description == MergePolicy.error.description {
                await #expect(throws: SaveConflictError.self) { try await context.saveOffOwner() }
                #expect(quake.magnitude == 3 && context.hasChanges)
                try context.refresh(quake, mergeChanges: true)
                try await context.saveOffOwner()
                #expect(try stored(container) == ["a 3.0 - "])
            } else {
                try await context.saveOffOwner()
                let isStoreFirst =
                    policy.description == MergePolicy.mergeByPropertyStoreTrump.description
                #expect(try stored(container) == ["a \(isStoreFirst ? 9.0 : 3.0) - "])
                #expect(quake.depth == 20 && !context.hasChanges)
            }
        }
    }

    @Test(
        "What others delete while the changes are on their way is noticed",
        arguments: StoreKind.allCases)
    func deletionsMeanwhile(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.viewContext
        let region = context.insertRegion("region")
        try context.save()
        let quake = context.insertQuake("a", in: region)
        try context.obtainPermanentIDs(for: [quake])
        // Another save has the store first.
        let other = container.makeContext()
        other.delete(try #require(try other.fetch(FetchRequest<Region>()).first))
        other.processPendingChanges()
        let otherSave = await held(other)
        let own = Task { try await context.saveOffOwner() }
        for _ in 0..<10 { await Task.yield() }
        plan.release()
        try await otherSave.value
        await #expect(throws: SaveConflictError.self) { try await own.value }
        quake.region = nil
        try await context.saveOffOwner()
        #expect(try stored(container) == ["a 1.0 - "])
    }

    @Test("A failure leaves the changes as they are", arguments: StoreKind.allCases)
    func failures(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.viewContext
        let quake = context.insertQuake("a")
        plan.fail(.save, with: .diskFull)
        await #expect(throws: StoreError.self) { try await context.saveOffOwner() }
        #expect(quake.isInserted && !context.hasSaveOfUnknownOutcome)
        plan.fail(.save, with: .unknownOutcome, .after)
        await #expect(throws: StoreError.self) { try await context.saveOffOwner() }
        #expect(context.hasSaveOfUnknownOutcome)
        try await context.saveOffOwner()
        #expect(!context.hasChanges && !context.hasSaveOfUnknownOutcome)
        #expect(try stored(container) == ["a 1.0 - "])
        _ = context.insertQuake("a")
        await #expect(throws: SaveConflictError.self) { try await context.saveOffOwner() }
    }

    @Test("Hooks, listeners and other contexts are told as ever", arguments: StoreKind.allCases)
    func telling(kind: StoreKind) async throws {
        let container = try container(kind, Ledger.model)
        let context = container.viewContext
        let script = context.followScript()
        let other = container.makeContext()
        let events = Locked<[String]>([])
        context.observe { event, _ in
            switch event {
            case .willSave: events.withLock { $0.append("will") }
            case .didSave: events.withLock { $0.append("did") }
            default: break
            }
        }
        _ = context.insertEntry(3)
        script.calls = []
        try await context.saveOffOwner()
        #expect(
            script.calls.filter { $0 == "willSave" || $0 == "didSave" } == ["willSave", "didSave"])
        #expect(events.withLock { $0 } == ["will", "did"])
        other.processPendingChanges()
        #expect(try other.count(for: FetchRequest<Entry>()) == 1)
    }

    @Test("Children move their changes at once", arguments: StoreKind.allCases)
    func children(kind: StoreKind) async throws {
        let container = try container(kind)
        let parent = container.viewContext
        let child = ManagedObjectContext(parent: parent)
        let quake = child.insertQuake("a")
        try await child.saveOffOwner()
        #expect(parent.hasChanges && !child.hasChanges)
        let task = await held(parent)
        quake.magnitude = 2
        plan.release()
        try await task.value
        #expect(try stored(container) == ["a 1.0 - "])
        #expect(!quake.objectID.isTemporaryID && quake.magnitude == 2)
        try await child.saveOffOwner()
        try await parent.saveOffOwner()
        #expect(try stored(container) == ["a 2.0 - "])
    }

    @Test("Several stores are written as by a blocking save", arguments: TwoStores.Kinds.all)
    func severalStores(kinds: TwoStores.Kinds) async throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.viewContext
        for quake in try context.fetch(FetchRequest<Quake>()) { quake.magnitude += 10 }
        try await context.saveOffOwner()
        #expect(!context.hasChanges)
        #expect(
            try stores.stored() == [
                "a 11.0 Honshu", "b 12.0 Chile", "c 13.0 Honshu", "d 14.0 Chile",
            ])
        for quake in try context.fetch(FetchRequest<Quake>()) { quake.magnitude += 10 }
        stores.secondPlan.fail(.save, with: .diskFull)
        let error = await #expect(throws: IncompleteSaveError.self) {
            try await context.saveOffOwner()
        }
        #expect(error?.savedStores == [stores.first] && error?.failedStore == stores.second)
        try await context.saveOffOwner()
        #expect(try stores.stored().map { $0.prefix(4) } == ["a 21", "b 22", "c 23", "d 24"])
    }

    @Test("Ordered to-manys are numbered", arguments: StoreKind.allCases)
    func orders(kind: StoreKind) async throws {
        let container = try container(kind, Music.model)
        try container.saveElsewhere { other in
            let list = Playlist(context: other)
            for song in other.insertSongs("abc") { list.songs.append(song) }
        }
        let context = container.viewContext
        let list = try #require(try context.fetch(FetchRequest<Playlist>()).first)
        list.songs.insert(context.insertSongs("d")[0], at: 1)
        try await context.saveOffOwner()
        let fresh = container.makeContext()
        let stored = try #require(try fresh.fetch(FetchRequest<Playlist>()).first)
        #expect(stored.songs.names == "adbc")
    }
}
