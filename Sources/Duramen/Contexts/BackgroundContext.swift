import Dispatch
import DuramenModel

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

    /// - Parameter context: Used on the executor only, like its parent.
    private init(_ context: Confined<ManagedObjectContext>, on executor: ContextExecutor) {
        self.executor = executor
        self.context = context.value
    }

    /// Makes a background context whose context is a child of this one's: a scratch pad for work that goes
    /// on for a while. See ``ManagedObjectContext/init(parent:options:)``.
    ///
    /// It works on the queue of this one, so that the closures of both follow each other.
    public func newChildContext(_ options: ContextOptions = ContextOptions()) -> BackgroundContext {
        // Sound: both actors have one executor, so that one of them runs at a time.
        BackgroundContext(
            Confined(ManagedObjectContext(parent: context, options: options)), on: executor)
    }

    /// Runs a closure with the context, as one unit of work.
    ///
    /// What other contexts saved before is merged first. Objects cannot leave the closure; pass values
    /// or object IDs.
    // `Sendable` rather than `sending`: Swift 6.3 checks a generic `sending` result too little. It accepts
    // `return quakes.first { $0.magnitude > 6 }`, which is written straight into the caller's result.
    public func perform<Result: Sendable, Failure: Error>(
        _ body: sending (ManagedObjectContext) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        context.beginUnitOfWork()
        defer {
            context.endUndoEvents()
            context.endUnitOfWork()
            context.tellOfUnit()
        }
        return try body(context)
    }

    /// Runs an asynchronous closure with the context, in the isolation of this actor.
    ///
    /// While the closure awaits something, such as ``ManagedObjectContext/fetchOffOwner(_:isolation:onProgress:)``,
    /// other closures may run with the context in between, and what others saved may be merged.
    ///
    /// ```swift
    /// let count = try await background.withContext { _, context in
    ///     let quakes = try await context.fetchOffOwner(FetchRequest<Quake>())
    ///     return quakes.count { $0.magnitude > 6 }
    /// }
    /// ```
    /// - Parameter body: Its first argument is this actor, so that the closure belongs to it.
    public func withContext<Result: Sendable, Failure: Error>(
        _ body:
            @Sendable (isolated BackgroundContext, ManagedObjectContext) async throws(Failure)
            -> Result
    ) async throws(Failure) -> Result {
        context.beginUnitOfWork()
        defer {
            context.endUnitOfWork()
            context.tellOfUnit()
        }
        return try await body(self, context)
    }

    /// Runs a closure with the context and waits for it, blocking the thread.
    ///
    /// From a closure of this context it runs at once. Contexts that wait for each other in a circle
    /// trap, naming the circle.
    public nonisolated func performAndWait<Result: Sendable, Failure: Error>(
        _ body: sending (ManagedObjectContext) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = Outcome<Result, Failure>()
        withoutActuallyEscaping(body) { body in
            let call = WaitingCall(body: body, outcome: outcome)
            if executor.isCurrent {
                assumeIsolated { call.run($0.context) }
                return
            }
            WaitingContexts.wait(for: executor) {
                executor.queue.sync {
                    self.assumeIsolated { isolated in
                        isolated.context.beginUnitOfWork()
                        call.run(isolated.context)
                        isolated.context.endUndoEvents()
                        isolated.context.endUnitOfWork()
                        isolated.context.tellOfUnit()
                    }
                }
            }
        }
        return try outcome.take()
    }
}

/// Carries a closure into a queue.
// Sound: `performAndWait` waits for the queue, so closure and outcome are used by one thread at a time.
private struct WaitingCall<Value: Sendable, Failure: Error>: @unchecked Sendable {
    let body: (ManagedObjectContext) throws(Failure) -> Value
    let outcome: Outcome<Value, Failure>

    func run(_ context: ManagedObjectContext) {
        do throws(Failure) {
            outcome.result = .success(try body(context))
        } catch {
            outcome.result = .failure(error)
        }
    }
}

/// Carries the result of a closure out of a queue.
private final class Outcome<Value: Sendable, Failure: Error> {
    var result: Swift.Result<Value, Failure>?

    func take() throws(Failure) -> Value {
        // The closure ran before.
        try result!.get()
    }
}
