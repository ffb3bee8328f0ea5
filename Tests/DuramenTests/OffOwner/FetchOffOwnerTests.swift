import Dispatch
import Duramen
import DuramenModel
import DuramenTestKit
import Testing

/// Fetching and counting while the owner goes on. The stores hold every call until they are told to
/// go on, so that an owner who waited for one would never get there.
@MainActor
@Suite(.serialized) struct FetchOffOwnerTests {
    private let plan = FaultPlan()

    private func container(_ kind: StoreKind, quakes: Int = 10) throws -> PersistentContainer {
        let container = try kind.container(plan: plan)
        try container.saveElsewhere { other in
            let region = other.insertRegion("region")
            for number in 0..<quakes {
                other.insertQuake("q\(number)", in: number % 2 == 0 ? region : nil).magnitude =
                    Double(number)
            }
        }
        return container
    }

    /// Begins work whose calls the store holds.
    private func held<Result>(
        _ work: @escaping @MainActor () async throws -> Result
    ) async throws -> Task<Result, any Error> where Result: Sendable {
        plan.hold()
        let task = Task { try await work() }
        await plan.waitForHeldCalls()
        return task
    }

    @Test("The owner goes on while the store takes its time", arguments: StoreKind.allCases)
    func ownersGoOn(kind: StoreKind) async throws {
        let context = try container(kind).viewContext
        let task = try await held {
            try await context.fetchOffOwner(
                FetchRequest<Quake>().where { $0.magnitude >= 5 }.sorted(by: \.code)
            ).map(\.code)
        }
        let own = context.insertQuake("own")
        own.magnitude = 7
        plan.release()
        // The new one came after the fetch began.
        #expect(try await task.value == ["q5", "q6", "q7", "q8", "q9"])
        #expect(try await context.countOffOwner(for: FetchRequest<Quake>()) == 11)
    }

    @Test("Unsaved changes take part, also through relationships", arguments: StoreKind.allCases)
    func unsavedChanges(kind: StoreKind) async throws {
        let context = try container(kind).viewContext
        let region = try #require(try context.fetch(FetchRequest<Region>()).first)
        let (first, second) = (
            try #require(try context.quake("q1")), try #require(try context.quake("q2"))
        )
        first.region = region
        second.magnitude = 99
        context.delete(try #require(try context.quake("q4")))
        let new = context.insertQuake("new", in: region)
        let tag = context.insertTag("felt")
        tag.quakes.insert(new)
        tag.quakes.insert(first)
        let requests: [FetchRequest<Quake>] = [
            FetchRequest().sorted(by: \.magnitude, .descending).offset(1).limit(4),
            FetchRequest().where { $0.region.name == "region" }.sorted(by: \.code),
            FetchRequest().where { $0.tags.any { $0.name == "felt" } }.sorted(by: \.code),
            FetchRequest().where { $0.magnitude > 5 }.sorted(by: "region.name").sorted(by: \.code),
        ]
        for request in requests {
            let expected = try context.fetch(request)
            let task = try await held {
                let found = try await context.fetchOffOwner(request)
                #expect(found.count == expected.count)
                #expect(zip(found, expected).allSatisfy { $0 === $1 })
                return try await context.countOffOwner(for: request)
            }
            plan.release()
            #expect(try await task.value == expected.count)
        }
        var stored = requests[0]
        stored.includesPendingChanges = false
        #expect(try await context.fetchOffOwner(stored) == context.fetch(stored))
        #expect(context.hasChanges)
    }

    @Test("A child sees the unsaved changes of its parents", arguments: StoreKind.allCases)
    func children(kind: StoreKind) async throws {
        let parent = try container(kind).viewContext
        try #require(try parent.quake("q1")).magnitude = 50
        let new = parent.insertQuake("new")
        new.magnitude = 60
        let child = ManagedObjectContext(parent: parent)
        let grandchild = ManagedObjectContext(parent: child)
        child.delete(try #require(try child.quake("q9")))
        try #require(try grandchild.quake("new")).magnitude = 70
        let request = FetchRequest<Quake>().where { $0.magnitude > 8 }.sorted(by: \.magnitude)
        // What children merge of their parents between units of work, they read on the owner.
        for context in [child, grandchild] { context.automaticallyMergesChangesFromParent = false }
        let task = try await held {
            try await grandchild.fetchOffOwner(request).map { "\($0.code) \($0.magnitude)" }
        }
        plan.release()
        #expect(try await task.value == ["q1 50.0", "new 70.0"])
        #expect(try await child.countOffOwner(for: request) == 2)
        #expect(try await parent.countOffOwner(for: request) == 3)
    }

    @Test("What changes while the query runs is as it is then", arguments: StoreKind.allCases)
    func changesMeanwhile(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.viewContext
        let own = try #require(try context.quake("q3"))
        let gone = try #require(try context.quake("q4"))
        // The query is over, and its rows wait in the task that brings them.
        let progress = Locked(0)
        plan.hold()
        let task = Task {
            try await context.fetchOffOwner(FetchRequest<Quake>()) { count in
                progress.withLock { $0 = count }
            }.map { "\($0.code) \($0.magnitude)" }
        }
        await plan.waitForHeldCalls()
        own.magnitude = 30
        context.delete(gone)
        plan.release()
        let found = try await task.value
        #expect(progress.withLock { $0 } == 10)
        #expect(found.contains("q3 30.0") && !found.contains { $0.hasPrefix("q4") })
        #expect(found.count == 9)
    }

    @Test("Rows that are older than what was merged are read again", arguments: StoreKind.allCases)
    func outdatedRows(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.viewContext
        let (reads, continuation) = AsyncStream.makeStream(of: Int.self)
        let goOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await context.fetchOffOwner(FetchRequest<Quake>()) { count in
                // All rows are read, and nobody has seen them yet.
                continuation.yield(count)
                goOn.wait()
            }.map { "\($0.code) \($0.magnitude)" }
        }
        for await count in reads {
            #expect(count == 10)
            break
        }
        try container.saveElsewhere { other in
            try #require(try other.quake("q1")).magnitude = 77
            other.delete(try #require(try other.quake("q2")))
        }
        context.processPendingChanges()
        goOn.signal()
        let found = try await task.value
        #expect(found.contains("q1 77.0") && !found.contains { $0.hasPrefix("q2") })
        #expect(found.count == 9)
    }

    @Test("Changed objects are refreshed, read off the owner", arguments: StoreKind.allCases)
    func refreshing(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        let quake = try #require(try context.quake("q3"))
        quake.depth = 7
        try container.saveElsewhere { try $0.quake("q3")?.magnitude = 50 }
        var request = FetchRequest<Quake>().where { $0.magnitude > 40 }
        request.shouldRefreshRefetchedObjects = true
        let wanted = request
        let task = try await held { try await context.fetchOffOwner(wanted).map(\.code) }
        plan.release()
        #expect(try await task.value == ["q3"])
        #expect(quake.magnitude == 50 && quake.depth == 7 && quake.hasChanges)
    }

    @Test("Cancelling the task stops the query", arguments: StoreKind.allCases)
    func cancellation(kind: StoreKind) async throws {
        let context = try container(kind, quakes: 2_000).viewContext
        let task = try await held { try await context.fetchOffOwner(FetchRequest<Quake>()).count }
        task.cancel()
        plan.release()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The cursor was not walked to its end.
        #expect(plan.count(of: .next) < 3)
        let list = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code), managedObjectContext: context)
        let listing = try await held { try await list.performFetchOffOwner() }
        listing.cancel()
        plan.release()
        await #expect(throws: CancellationError.self) { try await listing.value }
        let flag = CancellationFlag()
        var request = FetchRequest<Quake>()
        request.cancellation = flag
        let other = try await held { try await context.countOffOwner(for: request) }
        flag.cancel()
        plan.release()
        _ = await other.result
        await #expect(throws: StoreError.self) { _ = try await context.countOffOwner(for: request) }
    }

    @Test("Delete rules are applied before, and read off the owner", arguments: StoreKind.allCases)
    func deletions(kind: StoreKind) async throws {
        let container = try container(kind)
        let context = container.viewContext
        let id = try #require(try context.fetchObjectIDs(FetchRequest<Region>()).first)
        context.delete(context.object(with: id))
        let task = try await held { try await context.countOffOwner(for: FetchRequest<Quake>()) }
        plan.release()
        // The cascade took half of them.
        #expect(try await task.value == 5)
        #expect(context.deletedObjects.count == 6)
    }

    @Test("What is prefetched is read off the owner", arguments: StoreKind.allCases)
    func prefetching(kind: StoreKind) async throws {
        let context = try container(kind).viewContext
        let request = FetchRequest<Quake>().prefetching(\.region, \.quakes).prefetching(\.tags)
        let task = try await held {
            let quakes = try await context.fetchOffOwner(request)
            return try context.faulting(.forbidden) {
                quakes.map { "\($0.region?.quakes.count ?? 0) \($0.tags.count)" }.sorted()
            }
        }
        plan.release()
        let expected = Array(repeating: "0 0", count: 5) + Array(repeating: "5 0", count: 5)
        #expect(try await task.value == expected)
        var wrong = request
        wrong.relationshipKeyPathsForPrefetching = ["nothing"]
        do {
            _ = try await context.fetchOffOwner(wrong)
            Issue.record("Nothing was thrown.")
        } catch let error as ContextError {
            #expect(error.code == .unknownName)
        }
    }

    @Test(
        "A background context and an actor fetch off themselves too", arguments: StoreKind.allCases)
    func actors(kind: StoreKind) async throws {
        let container = try container(kind)
        let reader = Reader(container)
        let background = container.newBackgroundContext()
        plan.hold()
        async let codes = reader.codes()
        async let count = background.withContext { context in
            let quakes = try await context.fetchOffOwner(FetchRequest<Quake>())
            return quakes.count { $0.magnitude > 4 }
        }
        await plan.waitForHeldCalls(2)
        // Neither of them waits.
        #expect(await reader.isIdle())
        #expect(await background.perform { !$0.hasChanges })
        plan.release()
        #expect(try await codes.count == 10)
        #expect(try await count == 5)
    }

    @Test("Several stores are asked, and merged by the order", arguments: TwoStores.Kinds.all)
    func severalStores(kinds: TwoStores.Kinds) async throws {
        let stores = try TwoStores(kinds)
        let context = stores.container.viewContext
        let request = FetchRequest<Quake>().sorted(by: \.magnitude).offset(1).limit(5)
        for number in 0..<8 {
            let quake = context.insertQuake("q\(number)")
            quake.magnitude = Double(number)
            try context.assign(quake, to: number % 2 == 0 ? stores.first : stores.second)
        }
        #expect(try await context.fetchOffOwner(request) == context.fetch(request))
        try context.save()
        let fresh = stores.container.makeContext()
        let found = try await fresh.fetchOffOwner(request)
        #expect(found.map(\.code) == ["q1", "q2", "q3", "q4", "q5"])
        #expect(try await fresh.countOffOwner(for: request) == 5)
    }
}

/// An actor with a context of its own.
private actor Reader {
    private let context: ManagedObjectContext

    init(_ container: PersistentContainer) {
        context = container.makeContext()
        context.attach(to: self)
    }

    func isIdle() -> Bool { true }

    func codes() async throws -> [String] {
        try await context.fetchOffOwner(FetchRequest<Quake>().sorted(by: \.code)).map(\.code)
    }
}
