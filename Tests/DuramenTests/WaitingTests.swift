import Dispatch
import Duramen
import Foundation
import Testing

/// Contexts that wait for each other: what works, and what is said when it cannot.
@Suite(.serialized)
struct WaitingTests {
    /// Ends a test's process as if all were well, in case it waits for ever. What is tested needs
    /// no time.
    private static func giveUpLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + 20) { exit(EXIT_SUCCESS) }
    }

    @Test("Two threads whose contexts wait for each other are stopped, naming both")
    func twoThreads() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            WaitingTests.giveUpLater()
            let container = try makeContainer()
            let first = container.newBackgroundContext(ContextOptions(name: "first"))
            let second = container.newBackgroundContext(ContextOptions(name: "second"))
            let (inFirst, inSecond) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            DispatchQueue.global().async {
                second.performAndWait { _ in
                    inSecond.signal()
                    inFirst.wait()
                    first.performAndWait { _ in }
                }
            }
            first.performAndWait { _ in
                inFirst.signal()
                inSecond.wait()
                second.performAndWait { _ in }
            }
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(said.contains("contexts wait for each other in a circle"))
        let (first, second) = ("duramen.context.first", "duramen.context.second")
        #expect(
            said.contains("\(first) → \(second) → \(first)")
                || said.contains("\(second) → \(first) → \(second)"))
    }

    @Test("A closure that waits for an operation which needs its own context is stopped")
    func operation() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            WaitingTests.giveUpLater()
            let container = try makeContainer()
            let context = container.newBackgroundContext(ContextOptions(name: "own"))
            context.performAndWait { _ in
                let operation = ManagedObjectContextOperation(
                    container: container, context: context
                ) { _, _ in }
                OperationQueue().addOperations([operation], waitUntilFinished: true)
            }
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(said.contains("duramen.context.own → duramen.context.own"))
    }

    @Test("So is one whose operation depends on another that needs the context")
    func dependency() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            WaitingTests.giveUpLater()
            let container = try makeContainer()
            let own = container.newBackgroundContext(ContextOptions(name: "own"))
            let other = container.newBackgroundContext(ContextOptions(name: "other"))
            await own.perform { _ in
                let first = ManagedObjectContextOperation(container: container, context: own) {
                    _, _ in
                }
                let between = BlockOperation {}
                let last = ManagedObjectContextOperation(container: container, context: other) {
                    _, _ in
                }
                between.addDependency(first)
                last.addDependency(between)
                let queue = OperationQueue()
                for operation in [first, between, last] { queue.addOperation(operation) }
                last.waitUntilFinished()
            }
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(said.contains("duramen.context.own → duramen.context.own"))
    }

    @Test("A closure may wait for an operation of another context", arguments: StoreKind.allCases)
    func otherOperation(kind: StoreKind) throws {
        let container = try kind.container()
        let queue = OperationQueue()
        try container.newBackgroundContext().performAndWait { context in
            let operation = ManagedObjectContextOperation<Int>(container: container) {
                operation, context in
                _ = context.insertQuake("us1")
                try operation.save(context)
                return 1
            }
            queue.addOperation(operation)
            operation.waitUntilFinished()
            operation.waitUntilFinished()
            let (result, count) = (
                try operation.result?.get(), try context.count(for: FetchRequest<Quake>())
            )
            #expect(result == 1 && count == 1)
        }
        queue.waitUntilAllOperationsAreFinished()
    }

    @Test("A circle of three contexts is stopped")
    func threeContexts() async {
        await #expect(processExitsWith: .failure) {
            WaitingTests.giveUpLater()
            let container = try makeContainer()
            let contexts = (0..<3).map { _ in container.newBackgroundContext() }
            contexts[0].performAndWait { _ in
                contexts[1].performAndWait { _ in
                    contexts[2].performAndWait { _ in contexts[0].performAndWait { _ in } }
                }
            }
        }
    }

    @Test("The main actor may wait for a save that it is to merge", arguments: StoreKind.allCases)
    @MainActor
    func mainThreadMerge(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1")
        try context.save()
        quake.depth = 3
        let background = container.newBackgroundContext()
        try background.performAndWait { other in
            try other.quake("us1")?.magnitude = 8
            try other.save()
        }
        #expect(quake.magnitude == 1)
        context.processPendingChanges()
        #expect(quake.magnitude == 8 && quake.depth == 3)
        try context.save()
    }

    @Test("Nested contexts may all save", arguments: StoreKind.allCases)
    func nestedContexts(kind: StoreKind) throws {
        let container = try kind.container()
        let contexts = (0..<3).map { _ in container.newBackgroundContext() }
        try contexts[0].performAndWait { outer in
            _ = outer.insertQuake("us0")
            try contexts[1].performAndWait { middle in
                _ = middle.insertQuake("us1")
                try contexts[2].performAndWait { inner in
                    _ = inner.insertQuake("us2")
                    try inner.save()
                }
                try middle.save()
            }
            try outer.save()
        }
        #expect(try container.makeContext().count(for: FetchRequest<Quake>(), isolation: nil) == 3)
    }

    private actor Owner {
        let context: ManagedObjectContext
        var partner: Owner?

        init(_ container: PersistentContainer) {
            context = container.makeContext()
            context.attach(to: self)
        }

        func meet(_ other: Owner) { partner = other }

        /// Inserts, asks the partner to do the same, and saves, down to no depth.
        func work(_ depth: Int, _ name: String) async throws {
            _ = context.insertQuake("\(name)-\(depth)")
            if depth > 0 { try await partner?.work(depth - 1, name) }
            try context.save()
        }
    }

    @Test("Two actors may wait for each other", arguments: StoreKind.allCases)
    func twoActors(kind: StoreKind) async throws {
        let container = try kind.container()
        let (first, second) = (Owner(container), Owner(container))
        await first.meet(second)
        await second.meet(first)
        async let one: Void = first.work(9, "a")
        async let other: Void = second.work(9, "b")
        _ = try await (one, other)
        let count = try container.makeContext().count(for: FetchRequest<Quake>(), isolation: nil)
        #expect(count == 20)
    }
}
