import Dispatch
import Duramen
import DuramenModel
import Synchronization
import Testing

/// Contexts and the threads around them.
@Suite(.serialized)
struct ConcurrencyTests {
    private struct Refusal: Error, Equatable {
        var number: Int
    }

    @MainActor
    @Test func performRunsInTheOrderOfTheCalls() async throws {
        let background = try makeContainer().newBackgroundContext()
        let order = Log()
        // Tasks of the main actor start in order, and each goes to the queue at once.
        let tasks = (0..<200).map { number in
            Task { @MainActor in await background.perform { _ in order.note(number) } }
        }
        for task in tasks { await task.value }
        #expect(order.numbers == Array(0..<200))
    }

    @Test(arguments: StoreKind.allCases)
    func performAndWaitNestsInItself(kind: StoreKind) throws {
        let background = try kind.container().newBackgroundContext()
        let count = try background.performAndWait { context in
            _ = context.insertQuake("us1")
            let inner = try background.performAndWait { inner in
                _ = inner.insertQuake("us2")
                return try inner.count(for: FetchRequest<Quake>())
            }
            try context.save()
            return inner
        }
        #expect(count == 2)
    }

    @Test func performAndWaitWorksFromAsynchronousCode() async throws {
        let background = try makeContainer().newBackgroundContext()
        await Task.yield()
        let code = background.performAndWait { $0.insertQuake("us1").code }
        #expect(code == "us1")
        let waited = await background.perform { context in
            background.performAndWait { $0.insertedObjects.count } + context.insertedObjects.count
        }
        #expect(waited == 2)
    }

    @Test func oneContextMayWaitForAnother() throws {
        let container = try makeContainer()
        let (first, second) = (container.newBackgroundContext(), container.newBackgroundContext())
        let total = first.performAndWait { _ in
            second.performAndWait { _ in second.performAndWait { _ in 1 } } + 1
        }
        #expect(total == 2)
        // And the other way round afterwards: waiting leaves nothing behind.
        #expect(second.performAndWait { _ in first.performAndWait { _ in 3 } } == 3)
    }

    @Test func errorsKeepTheirTypeAndTheContextWorksOn() async throws {
        let background = try makeContainer().newBackgroundContext()
        do throws(Refusal) {
            _ = try background.performAndWait { (_) throws(Refusal) -> Int in
                throw Refusal(number: 1)
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.number == 1)
        }
        do throws(Refusal) {
            try await background.perform { (_) throws(Refusal) in throw Refusal(number: 2) }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.number == 2)
        }
        #expect(await background.perform { $0.hasChanges } == false)
    }

    @Test(arguments: StoreKind.allCases)
    func everyBackgroundTaskHasAContextOfItsOwn(kind: StoreKind) async throws {
        let container = try kind.container()
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    try await container.performBackgroundTask { context in
                        _ = context.insertQuake("us\(number)")
                        try #require(context.insertedObjects.count == 1)
                        try context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await container.performBackgroundTask {
            try $0.count(for: FetchRequest<Quake>())
        }
        #expect(count == 20)
    }

    @Test(arguments: StoreKind.allCases)
    func countersAddUpWhenConflictsAreRetried(kind: StoreKind) async throws {
        let container = try kind.container()
        try container.saveElsewhere { context in
            for number in 0..<2 { _ = context.insertQuake("us\(number)", magnitude: 0) }
        }
        let conflicts = Log()
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    let background = container.newBackgroundContext()
                    for _ in 0..<20 {
                        try await Self.increment("us\(number % 2)", background, conflicts)
                    }
                }
            }
            try await group.waitForAll()
        }
        let sums = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest<Quake>()).map(\.magnitude)
        }
        #expect(sums == [80, 80], "\(conflicts.numbers.count) conflicts")
    }

    private static func increment(
        _ code: String, _ background: BackgroundContext, _ conflicts: Log
    ) async throws {
        for _ in 0..<10_000 {
            let isSaved = try await background.perform { context in
                let quake = try #require(try context.quake(code))
                quake.magnitude += 1
                do {
                    try context.save()
                    return true
                } catch is SaveConflictError {
                    context.rollback()
                    try context.refresh(quake, mergeChanges: false)
                    return false
                }
            }
            if isSaved { return }
            conflicts.note(1)
        }
        Issue.record("the increment never went through")
    }

    @Test(arguments: StoreKind.allCases)
    func simultaneousSavesLeaveEveryContextWithTheLastState(kind: StoreKind) async throws {
        let container = try kind.container()
        let codes = (0..<4).map { "us\($0)" }
        try container.saveElsewhere { context in
            for code in codes { _ = context.insertQuake(code, magnitude: 0) }
        }
        let watcher = container.newBackgroundContext()
        let held = HeldObjects()
        try await watcher.perform { held.objects = try $0.fetch(FetchRequest<Quake>()) }
        let conflicts = Log()
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    let background = container.newBackgroundContext()
                    for round in 0..<25 {
                        try await Self.increment(codes[(number + round) % 4], background, conflicts)
                    }
                }
            }
            try await group.waitForAll()
        }
        let seen = await watcher.perform { _ in
            held.objects.compactMap { ($0 as? Quake)?.magnitude }
        }
        #expect(seen == [50, 50, 50, 50])
    }

    @Test func anActorOwnsAContext() async throws {
        let container = try makeContainer()
        let journal = Journal(container)
        try await withThrowingTaskGroup { group in
            for number in 0..<50 { group.addTask { try await journal.note("us\(number)") } }
            try await group.waitForAll()
        }
        #expect(try await journal.count == 50)
    }

    @MainActor
    @Test func contextsMayEndOnAnyThread() async throws {
        let container = try makeContainer()
        try container.saveElsewhere { context in
            for number in 0..<100 { _ = context.insertQuake("us\(number)") }
        }
        for _ in 0..<50 {
            let context = container.makeContext()
            _ = try context.fetch(FetchRequest<Quake>(), isolation: nil)
            let box = Sent(context)
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    box.drop()
                    continuation.resume()
                }
            }
        }
        let count = try container.viewContext.count(for: FetchRequest<Quake>())
        #expect(count == 100)
    }

    @MainActor
    @Test func aThousandContextsLeaveNothingAlive() async throws {
        let container = try makeContainer()
        try container.saveElsewhere { context in
            for number in 0..<10 { _ = context.insertQuake("us\(number)") }
        }
        var contexts: [Weak] = []
        var objects: [Weak] = []
        for number in 0..<1000 {
            let context = container.makeContext()
            let quakes = try context.fetch(FetchRequest<Quake>())
            quakes.first?.magnitude = Double(number)
            _ = context.insertQuake("new\(number)")
            quakes.last.map(context.delete)
            contexts.append(Weak(context))
            objects += quakes.map { Weak($0) }
        }
        let isEmpty = await eventually {
            contexts.allSatisfy { $0.object == nil } && objects.allSatisfy { $0.object == nil }
        }
        #expect(isEmpty)
    }

    @Test func backgroundContextsEndWithTheirLastReference() async throws {
        let container = try makeContainer()
        var actors: [Weak] = []
        for number in 0..<100 {
            let background = container.newBackgroundContext()
            try await background.perform { context in
                _ = context.insertQuake("us\(number)")
                try context.save()
            }
            actors.append(Weak(background))
        }
        var patience = Patience()
        while actors.contains(where: { $0.object != nil }), patience.isLeft { await Task.yield() }
        #expect(actors.allSatisfy { $0.object == nil })
    }
}

private final class Log: Sendable {
    private let state = Locked<[Int]>([])

    var numbers: [Int] { state.withLock { $0 } }

    func note(_ number: Int) { state.withLock { $0.append(number) } }
}

private actor Journal {
    private let context: ManagedObjectContext

    init(_ container: PersistentContainer) {
        context = container.makeContext(ContextOptions(author: "journal"))
        context.attach(to: self)
    }

    func note(_ code: String) throws {
        _ = context.insertQuake(code)
        try context.save()
    }

    var count: Int {
        get throws { try context.count(for: FetchRequest<Quake>()) }
    }
}

/// Objects kept registered between units of work.
// Sound: used by the one background context of its test only.
private final class HeldObjects: @unchecked Sendable {
    var objects: [ManagedObject] = []
}

/// A context on its way to another thread.
// Sound: one thread uses it at a time, the continuation orders them.
private final class Sent: @unchecked Sendable {
    private var context: ManagedObjectContext?

    init(_ context: ManagedObjectContext) { self.context = context }

    func drop() { context = nil }
}

private struct Weak {
    weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
}
