import StoreTestSupport
import Testing

@testable import Duramen

/// A save wakes the contexts that have something to merge, and no others.
@Suite struct IdleContextTests {
    private func wakeCount(_ container: PersistentContainer) -> Int {
        container.persistentStoreCoordinator.connections.reduce(0) {
            $0 + $1.subscribers.wakeCount
        }
    }

    @Test("Contexts without objects are not woken", arguments: StoreKind.allCases)
    func idle(kind: StoreKind) async throws {
        let container = try kind.container()
        try container.saveElsewhere { _ = $0.insertQuake("us1") }
        let contexts = (0..<200).map { _ in container.newBackgroundContext() }
        // Half of them were never used, the others have forgotten what they read.
        for context in contexts.prefix(100) {
            #expect(try await context.perform { try $0.count(for: FetchRequest<Quake>()) } == 1)
            #expect(try await context.perform { try $0.quake("us1")?.magnitude } == 1)
        }
        for magnitude in 2..<12 {
            try await container.performBackgroundTask { context in
                try context.quake("us1")?.magnitude = Double(magnitude)
                try context.save()
            }
        }
        #expect(wakeCount(container) == 0)
    }

    @Test(
        "One that holds an object is woken, until it has let it go", arguments: StoreKind.allCases)
    @MainActor func holding(kind: StoreKind) async throws {
        let container = try kind.container()
        try container.saveElsewhere { _ = $0.insertQuake("us1") }
        func save(_ magnitude: Double) async throws {
            try await container.performBackgroundTask { context in
                try context.quake("us1")?.magnitude = magnitude
                try context.save()
            }
        }
        var quake = try container.viewContext.quake("us1")
        try await save(2)
        #expect(quake?.magnitude == 2 && wakeCount(container) == 1)
        try await save(3)
        #expect(quake?.magnitude == 3 && wakeCount(container) == 2)
        quake = nil
        container.viewContext.reset()
        try await save(4)
        let before = wakeCount(container)
        try await save(5)
        #expect(wakeCount(container) == before)
        // Reading subscribes the context again.
        quake = try container.viewContext.quake("us1")
        #expect(quake?.magnitude == 5)
        try await save(6)
        #expect(quake?.magnitude == 6 && wakeCount(container) == before + 1)
    }

    @Test("New objects, lists, observers and children count as something to merge")
    @MainActor func others() async throws {
        let container = try makeContainer()
        try container.saveElsewhere { _ = $0.insertRegion("North") }
        let region = try #require(
            try container.makeContext().fetchObjectIDs(FetchRequest<Region>()).first)
        func saveElsewhere() async throws {
            try await container.performBackgroundTask { context in
                _ = context.insertQuake("us\(Int.random(in: 0...Int.max))")
                try context.save()
            }
        }
        // A fault, a list without results, and a listener.
        let faults = container.makeContext()
        faults.attach(to: MainActor.shared)
        let fault = faults.object(with: region)
        let lists = container.makeContext()
        lists.attach(to: MainActor.shared)
        let results = try FetchedResults(FetchRequest<Quake>().sorted(by: \.code), in: lists)
        #expect(results.objects?.isEmpty == true)
        let listening = container.makeContext()
        listening.attach(to: MainActor.shared)
        var merges = 0
        let observer = listening.observe { event, _ in if case .didMerge = event { merges += 1 } }
        try await saveElsewhere()
        #expect(results.objects?.count == 1 && merges == 1)
        #expect(wakeCount(container) == 3)
        observer.cancel()
        _ = fault
    }

    @Test("What another context deleted is known to a context with a new object only")
    @MainActor func newObjects() async throws {
        let container = try makeContainer()
        try container.saveElsewhere { _ = $0.insertRegion("North") }
        let context = container.viewContext
        let quake = context.insertQuake("us1")
        quake.region = try context.fetch(FetchRequest<Region>()).first
        try await container.performBackgroundTask { other in
            for region in try other.fetch(FetchRequest<Region>()) { other.delete(region) }
            try other.save()
        }
        #expect(throws: (any Error).self) { try context.save() }
    }

    @Test("A save while a context reads for the first time is never missed")
    func races() async throws {
        let container = try makeContainer()
        let count = rounds(2_000)
        try container.saveElsewhere { _ = $0.insertQuake("us1", magnitude: 0) }
        let writer = Task.detached {
            for magnitude in 1...count {
                try await container.performBackgroundTask { context in
                    try context.quake("us1")?.magnitude = Double(magnitude)
                    try context.save()
                }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let background = container.newBackgroundContext()
                    var isDone = false
                    while !isDone {
                        let last = try await background.perform { context in
                            let quake = try #require(try context.quake("us1"))
                            let first = quake.magnitude
                            context.processPendingChanges()
                            try #require(quake.magnitude >= first)
                            return quake.magnitude
                        }
                        isDone = last == Double(count)
                    }
                }
            }
            try await group.waitForAll()
        }
        try await writer.value
    }

    /// Many small saves, and saves that are too large alone.
    @Test(
        "What waits for a context that nobody uses holds few megabytes, and is merged all the same",
        arguments: StoreKind.allCases, [(bytes: 1_000, rows: 300, saves: 10), (100_000, 100, 2)])
    func bounded(kind: StoreKind, size: (bytes: Int, rows: Int, saves: Int)) throws {
        let container = try kind.container()
        try container.saveElsewhere { _ = $0.insertQuake("us1") }
        let context = container.makeContext()
        let quake = try #require(try context.quake("us1"))
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code), managedObjectContext: context)
        let listener = ListListener()
        controller.delegate = listener
        try controller.performFetch()
        let padding = String(repeating: "x", count: size.bytes)
        let writer = container.makeContext()
        var most = 0
        for number in 1...size.saves {
            for place in 0..<size.rows {
                _ = writer.insertQuake("\(padding) \(number) \(place)")
            }
            try writer.quake("us1")?.magnitude = Double(number)
            try writer.save()
            most = max(most, context.main.inbox.waitingByteCount)
        }
        #expect(most < 8 << 20)
        context.processPendingChanges()
        #expect(quake.magnitude == Double(size.saves))
        #expect(controller.fetchedObjects?.count == size.rows * size.saves + 1)
        #expect(context.main.inbox.waitingByteCount == 0)
    }
}

private final class ListListener: FetchedResultsControllerDelegate {
    typealias Object = Quake
}
