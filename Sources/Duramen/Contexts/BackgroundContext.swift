/// An actor that owns one context and works on a queue of its own.
///
/// ```swift
/// let background = container.newBackgroundContext(ContextOptions(author: "import"))
/// try await background.perform { context in
///     Quake(context: context).code = "us7000"
///     try context.save()
/// }
/// ```
public actor BackgroundContext {
    private nonisolated let executor: ContextExecutor
    private let context: ManagedObjectContext

    /// The queue that the actor works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(coordinator: PersistentStoreCoordinator, options: ContextOptions) {
        executor = ContextExecutor(label: "duramen.context.\(options.name ?? "background")")
        context = ManagedObjectContext(coordinator: coordinator, options: options)
        context.attach(to: self)
    }

    /// Runs a closure with the context, as one unit of work.
    ///
    /// What other contexts saved before is merged first. Objects cannot leave the closure; pass values
    /// or object IDs.
    public func perform<Result, Failure: Error>(
        _ body: sending (ManagedObjectContext) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        context.drainInbox()
        defer { context.endUnitOfWork() }
        return try body(context)
    }

    /// Runs a closure with the context and waits for it, blocking the thread.
    ///
    /// From a closure of this context it runs at once. Contexts that wait for each other in a circle
    /// trap, naming the circle.
    public nonisolated func performAndWait<Result, Failure: Error>(
        _ body: sending (ManagedObjectContext) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // Sound: the closure runs before this returns, and only on the context's queue.
        let box = WaitingCall(body)
        if executor.isCurrent {
            assumeIsolated { box.run($0.context) }
        } else {
            WaitingContexts.wait(for: executor) {
                executor.queue.sync {
                    self.assumeIsolated { isolated in
                        isolated.context.drainInbox()
                        box.run(isolated.context)
                        isolated.context.endUnitOfWork()
                    }
                }
            }
        }
        return try box.take()
    }
}

/// Carries a closure into a queue and its result back.
// Sound: `performAndWait` waits for the queue, so the box is used by one thread at a time.
private final class WaitingCall<Value, Failure: Error>: @unchecked Sendable {
    private let body: (ManagedObjectContext) throws(Failure) -> Value
    private var outcome: Swift.Result<Value, Failure>?

    init(_ body: @escaping (ManagedObjectContext) throws(Failure) -> Value) { self.body = body }

    func run(_ context: ManagedObjectContext) {
        do throws(Failure) {
            outcome = .success(try body(context))
        } catch {
            outcome = .failure(error)
        }
    }

    func take() throws(Failure) -> Value {
        // `run` was called before, by the queue.
        try outcome!.get()
    }
}
