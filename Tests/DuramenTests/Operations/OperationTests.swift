import Duramen
import DuramenModel
import DuramenTestKit
import Foundation
import Testing

@Suite struct OperationTests {
    private func count(_ container: PersistentContainer) throws -> Int {
        try container.makeContext().count(for: FetchRequest<Quake>())
    }

    private func run(_ operations: Operation...) async {
        let queue = OperationQueue()
        await withCheckedContinuation { continuation in
            queue.addOperations(operations, waitUntilFinished: false)
            queue.addBarrierBlock { continuation.resume() }
        }
    }

    @Test("An operation works on the queue of its context and saves", arguments: StoreKind.allCases)
    func work(kind: StoreKind) async throws {
        let container = try kind.container()
        let saves = Locked<[Int]>([])
        let operation = ManagedObjectContextOperation(container: container) { operation, context in
            for chunk in 0..<3 {
                for number in 0..<10 { _ = context.insertQuake("q\(chunk)-\(number)") }
                if chunk < 2 { try operation.save(context) }
            }
        }
        operation.onSave = { count in saves.withLock { $0.append(count) } }
        #expect(operation.result == nil)
        await run(operation)
        try #require(operation.result).get()
        #expect(operation.isFinished && !operation.isCancelled)
        // What was left is saved in the end.
        #expect(saves.withLock { $0 } == [1, 2, 3])
        #expect(try count(container) == 30)
    }

    @Test(
        "A value can be the work, and what it leaves unsaved is saved",
        arguments: StoreKind.allCases)
    func valueAsWork(kind: StoreKind) async throws {
        let container = try kind.container()
        let context = container.newBackgroundContext(ContextOptions(author: "own"))
        let operation = ManagedObjectContextOperation(
            Import(count: 4), container: container, context: context)
        await run(operation)
        #expect(try count(container) == 4)
    }

    @Test("A result leaves through the operation", arguments: StoreKind.allCases)
    func result(kind: StoreKind) async throws {
        let container = try kind.container()
        let operation = ManagedObjectContextOperation<[ManagedObjectID]>(container: container) {
            operation, context in
            operation.progress.totalUnitCount = 2
            return try (0..<2).map { number in
                let quake = context.insertQuake("q\(number)")
                try operation.save(context)
                operation.progress.completedUnitCount += 1
                return quake.objectID
            }
        }
        await run(operation)
        let ids = try #require(try operation.result?.get())
        let context = container.makeContext()
        #expect(
            try ids.map { try context.existingObject(with: $0, as: Quake.self).code }
                == ["q0", "q1"])
        #expect(operation.progress.isFinished && operation.progress.fractionCompleted == 1)
    }

    @Test("Dependencies hold, and one context serves several", arguments: StoreKind.allCases)
    func dependencies(kind: StoreKind) async throws {
        let container = try kind.container()
        let context = container.newBackgroundContext()
        let insert = ManagedObjectContextOperation(container: container, context: context) {
            _ = $1.insertQuake("a")
        }
        let edit = ManagedObjectContextOperation(container: container, context: context) {
            try #require(try $1.quake("a")).magnitude = 5
        }
        edit.addDependency(insert)
        await run(edit, insert)
        let fresh = container.makeContext()
        #expect(try fresh.quake("a")?.magnitude == 5)
    }

    @Test(
        "Cancelled midway, it keeps the chunks that were saved and rolls the open one back",
        arguments: StoreKind.allCases)
    func cancellation(kind: StoreKind) async throws {
        let container = try kind.container()
        for usesProgress in [false, true] {
            let name = usesProgress ? "p" : "c"
            let operation = ManagedObjectContextOperation(container: container) {
                operation, context in
                for number in 0..<10 {
                    _ = context.insertQuake("\(name)\(number)")
                    if number == 3 {
                        if usesProgress { operation.progress.cancel() } else { operation.cancel() }
                    }
                    try operation.save(context)
                }
            }
            await run(operation)
            #expect(throws: CancellationError.self) { try #require(operation.result).get() }
            #expect(await operation.context.perform { !$0.hasChanges })
            #expect(operation.isFinished && operation.isCancelled)
        }
        #expect(try count(container) == 6)
    }

    @Test("Cancelled before it begins, it does nothing and finishes")
    func cancelledBefore() async throws {
        let container = try StoreKind.memory.container()
        let operation = ManagedObjectContextOperation(container: container) { _, context in
            _ = context.insertQuake("a")
        }
        operation.cancel()
        await run(operation)
        #expect(operation.isFinished)
        #expect(throws: CancellationError.self) { try #require(operation.result).get() }
        #expect(try count(container) == 0)
    }

    @Test("What the work throws is its result, and its changes are rolled back")
    func failures() async throws {
        let container = try StoreKind.memory.container()
        let operation = ManagedObjectContextOperation(container: container) { _, context in
            _ = context.insertQuake("a")
            throw ContextError(.invalidRequest, "A test lets this fail.")
        }
        await run(operation)
        #expect(throws: ContextError.self) { try #require(operation.result).get() }
        #expect(await operation.context.perform { !$0.hasChanges })
        #expect(try count(container) == 0)
    }

    @Test(
        "The view context has merged it when the completion is told", arguments: StoreKind.allCases)
    @MainActor func completion(kind: StoreKind) async throws {
        let container = try kind.container()
        let quake = container.viewContext.insertQuake("a")
        try container.viewContext.save()
        let operation = ManagedObjectContextOperation(container: container) { _, context in
            try #require(try context.quake("a")).magnitude = 8
        }
        let magnitude = await withCheckedContinuation { continuation in
            operation.onCompletion = { result in
                if case .failure = result { Issue.record("\(result)") }
                continuation.resume(returning: quake.magnitude)
            }
            OperationQueue().addOperation(operation)
        }
        #expect(magnitude == 8)
    }

    @Test(
        "However it races with being cancelled, it finishes once and leaves all or nothing of a chunk"
    )
    @MainActor func races() async throws {
        let container = try StoreKind.memory.container()
        let completions = Locked<[Int: Int]>([:])
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        var operations: [ManagedObjectContextOperation<Void>] = []
        for number in 0..<300 {
            let operation = ManagedObjectContextOperation(container: container) {
                operation, context in
                _ = context.insertQuake("\(number)a")
                _ = context.insertQuake("\(number)b")
                try operation.save(context)
            }
            operation.onCompletion = { _ in
                completions.withLock { $0[number, default: 0] += 1 }
            }
            operations.append(operation)
        }
        await withTaskGroup(of: Void.self) { group in
            for operation in operations {
                group.addTask { queue.addOperation(operation) }
                group.addTask { operation.cancel() }
            }
        }
        await withCheckedContinuation { continuation in
            queue.addBarrierBlock { continuation.resume() }
        }
        #expect(await eventually { completions.withLock { $0.count } == 300 })
        #expect(completions.withLock { $0.values.allSatisfy { $0 == 1 } })
        let context = container.makeContext()
        for (number, operation) in operations.enumerated() {
            let isSaved = try context.quake("\(number)a") != nil
            #expect(try (context.quake("\(number)b") != nil) == isSaved)
            if case .success? = operation.result {
                #expect(isSaved)
            } else {
                #expect(!isSaved)
            }
        }
    }
}

private struct Import: ManagedObjectContextWork {
    let count: Int

    func perform(in context: ManagedObjectContext) throws {
        for number in 0..<count {
            _ = context.insertQuake("q\(number)")
            if number == 1 { try context.save() }
        }
    }
}
