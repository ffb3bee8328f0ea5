import Dispatch
import DuramenModel

/// An actor that owns one context and runs on its own queue.
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
    private nonisolated let coordinator: PersistentStoreCoordinator
    /// The settings of the context, also before it is created.
    nonisolated let settings: Locked<ContextOptions>
    private(set) var made: ManagedObjectContext?

    /// Created at first use, so that an idle background context costs almost nothing.
    private var context: ManagedObjectContext {
        if let made { return made }
        let context = ManagedObjectContext(
            coordinator: coordinator, options: settings.withLock { $0 })
        context.attach(to: self)
        made = context
        return context
    }

    /// The queue that the actor works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(coordinator: PersistentStoreCoordinator, options: ContextOptions) {
        executor = ContextExecutor(label: "duramen.context.\(options.name ?? "background")")
        self.coordinator = coordinator
        settings = Locked(options)
    }

    /// - Parameters:
    ///   - context: A child context, used only on the executor, like its parent.
    ///   - executor: The executor of the parent's actor.
    private init(_ context: Confined<ManagedObjectContext>, on executor: ContextExecutor) {
        self.executor = executor
        coordinator = context.value.persistentStoreCoordinator
        settings = Locked(ContextOptions(of: context.value))
        made = context.value
        // The parent's owner is another actor on the same queue.
        context.value.ownership.owner = ContextOwner(self)
    }

    /// Creates a background context whose context is a child of this one's, as a scratch pad for
    /// longer work. See ``ManagedObjectContext/init(parent:options:)``.
    ///
    /// It runs on this context's queue, so the closures of both run one after another.
    public func newChildContext(_ options: ContextOptions = ContextOptions()) -> BackgroundContext {
        // Sound: both actors have one executor, so only one of them runs at a time.
        BackgroundContext(
            Confined(ManagedObjectContext(parent: context, options: options)), on: executor)
    }

    // MARK: - One closure as a unit of work

    /// Runs a closure with the context as one unit of work, and returns the closure's result.
    ///
    /// The context merges saves of other contexts before the closure runs. When the call returns or
    /// throws, contexts of the caller's isolation have merged the closure's saves. Objects cannot
    /// leave the closure; return values or object IDs. To await something inside, use
    /// ``withContext(isolation:_:)``.
    ///
    /// Closures run one at a time, first in, first out, without priorities.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation, filled in by the compiler.
    ///   - body: The work.
    // `Sendable` rather than `sending`: Swift 6.3 checks a generic `sending` result too little. It
    // accepts `return quakes.first { $0.magnitude > 6 }`, which is written directly into the
    // caller's result. The isolation is a plain value. If it were `isolated`, the call would cross
    // no isolation, and Swift 6.3 would let the closure capture objects of the caller.
    public func perform<Result: Sendable, Failure: Error>(
        isolation: (any Actor)? = #isolation,
        _ body: sending (ManagedObjectContext) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let outcome = outcome(of: body)
        await showSaves(to: isolation)
        return try outcome.get()
    }

    /// Runs a closure that starts to observe the context, and ignores the observer; see
    /// ``perform(isolation:_:)``.
    ///
    /// This lets one call be the whole closure, as in `perform { $0.observe { … } }`.
    // Disfavoured because closures of several statements would otherwise match this overload.
    @_disfavoredOverload
    public func perform<Failure: Error>(
        isolation: (any Actor)? = #isolation,
        _ body: sending (ManagedObjectContext) throws(Failure) -> ContextObserver
    ) async throws(Failure) {
        let outcome = outcome { context throws(Failure) in _ = try body(context) }
        await showSaves(to: isolation)
        try outcome.get()
    }

    /// Rejects a closure that awaits something.
    @available(
        *, unavailable, message: "the closure of perform cannot await; use withContext instead"
    )
    public func perform<Result, Failure: Error>(
        isolation: (any Actor)? = #isolation,
        _ body: sending (ManagedObjectContext) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        fatalError()
    }

    /// Runs a closure as one unit of work.
    private func outcome<Result: Sendable, Failure: Error>(
        of body: (ManagedObjectContext) throws(Failure) -> Result
    ) -> Swift.Result<Result, Failure> {
        context.beginUnitOfWork()
        defer { endUnitOfWork() }
        do throws(Failure) {
            return .success(try body(context))
        } catch {
            return .failure(error)
        }
    }

    /// Merges saves into the contexts of the caller's isolation.
    ///
    /// It enters that isolation only if a context there has saves to merge, because each way is a
    /// hop.
    private func showSaves(to isolation: (any Actor)?) async {
        guard let isolation, coordinator.mayHaveWaiting(for: isolation) else { return }
        await coordinator.drain(in: isolation)
    }

    private func endUnitOfWork() {
        // Closures may have changed the settings.
        let options = ContextOptions(of: context)
        settings.withLock { $0 = options }
        context.endUndoEvents()
        context.endUnitOfWork()
        context.tellOfUnit()
    }

    // MARK: - Asynchronous closures

    /// Runs an asynchronous closure with the context, in the isolation of this actor.
    ///
    /// While the closure awaits something, such as
    /// ``ManagedObjectContext/fetchOffOwner(_:isolation:onProgress:)``, other closures may run with
    /// the context. The context may also merge saves of other contexts then. When the call returns
    /// or throws, contexts of the caller's isolation have merged the closure's saves.
    ///
    /// ```swift
    /// let count = try await background.withContext { context in
    ///     let quakes = try await context.fetchOffOwner(FetchRequest<Quake>())
    ///     return quakes.count { $0.magnitude > 6 }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation, filled in by the compiler.
    ///   - body: A closure, or a `nonisolated(nonsending)` function, which runs in its caller's
    ///     isolation.
    public func withContext<Result: Sendable, Failure: Error>(
        isolation: (any Actor)? = #isolation,
        _ body:
            nonisolated(nonsending) @Sendable (ManagedObjectContext) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure>
        context.beginUnitOfWork()
        do throws(Failure) {
            outcome = .success(try await body(context))
        } catch {
            outcome = .failure(error)
        }
        endUnitOfWork()
        await showSaves(to: isolation)
        return try outcome.get()
    }

    // MARK: - Waiting

    /// Runs a closure with the context and waits for it, blocking the thread.
    ///
    /// If it is called from a closure of this context, the closure runs at once. Contexts that wait
    /// for each other in a circle trap with a message that names them.
    public nonisolated func performAndWait<Result: Sendable, Failure: Error>(
        _ body: sending (ManagedObjectContext) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = Outcome<Result, Failure>()
        // Sound: this call waits until the closure has run.
        withoutActuallyEscaping(body) { body in
            let call = WaitingCall(body: body, outcome: outcome)
            if executor.isCurrent {
                assumeIsolated { call.run($0.context) }
                return
            }
            WaitingContexts.wait(for: [executor]) {
                executor.queue.sync {
                    self.assumeIsolated { isolated in
                        isolated.context.beginUnitOfWork()
                        call.run(isolated.context)
                        isolated.endUnitOfWork()
                    }
                }
            }
        }
        return try outcome.take()
    }

    /// Runs a closure that starts to observe the context, and ignores the observer; see
    /// ``performAndWait(_:)``.
    @_disfavoredOverload
    public nonisolated func performAndWait<Failure: Error>(
        _ body: sending (ManagedObjectContext) throws(Failure) -> ContextObserver
    ) throws(Failure) {
        try performAndWait { context throws(Failure) in _ = try body(context) }
    }

    /// Rejects a closure that awaits something.
    @available(
        *, unavailable,
        message: "the closure of performAndWait cannot await; use withContext instead"
    )
    public nonisolated func performAndWait<Result, Failure: Error>(
        _ body: sending (ManagedObjectContext) async throws(Failure) -> Result
    ) throws(Failure) -> Result {
        fatalError()
    }

    /// Runs a function while the caller's queue, if it belongs to a context, is recorded as waiting
    /// for the given contexts.
    nonisolated static func waiting(for contexts: [BackgroundContext], _ body: () -> Void) {
        WaitingContexts.wait(for: contexts.map(\.executor), body)
    }
}

extension BackgroundContext: CustomStringConvertible {
    /// The name and the stores. To see the number of objects, print the context itself within a
    /// unit of work: `try await background.perform { print($0) }`.
    public nonisolated var description: String {
        "<BackgroundContext \(name.map { "'\($0)'" } ?? "unnamed") on \(coordinator.storeNames)>"
    }
}

extension BackgroundContext: CustomReflectable {
    /// Shows the name. Reflection does not reach the context itself.
    public nonisolated var customMirror: Mirror {
        Mirror(self, children: ["name": name as Any], ancestorRepresentation: .suppressed)
    }
}

/// Passes a closure to a queue.
// Sound: `performAndWait` waits for the queue, so closure and outcome are used by one thread at a
// time.
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

/// Passes the result of a closure back from a queue.
private final class Outcome<Value: Sendable, Failure: Error> {
    var result: Swift.Result<Value, Failure>?

    func take() throws(Failure) -> Value {
        // The closure has run by now.
        try result!.get()
    }
}
