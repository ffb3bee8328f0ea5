import DuramenModel
public import Foundation

/// Work with a background context as an operation, for programs that queue their work with
/// Foundation's `OperationQueue`: with dependencies, priorities and a limit of how much runs at a
/// time.
///
/// Give it a closure:
///
/// ```swift
/// let purge = ManagedObjectContextOperation(container: container) { operation, context in
///     let request = FetchRequest<Quake>().where { $0.magnitude < 2 }.limit(500)
///     while case let quakes = try context.fetch(request), !quakes.isEmpty {
///         for quake in quakes { context.delete(quake) }
///         try operation.save(context)
///     }
/// }
/// queue.addOperation(purge)
/// ```
///
/// or a value that is ``ManagedObjectContextWork``. What the closure returns is in ``result``; name
/// its type, as in `ManagedObjectContextOperation<[ManagedObjectID]>(container: container) { … }`.
/// Objects cannot leave it.
///
/// The work runs on the queue of the context, which the operation's thread waits for. ``save(_:)``
/// ends a chunk. An operation that is cancelled ends there, and what was changed since the last
/// chunk is rolled back; chunks that were saved stay. Other contexts merge each chunk as they merge
/// any save. A closure that waits for an operation which needs the closure's own context traps,
/// naming the circle.
///
/// Without operation queues, ``BackgroundContext/perform(isolation:_:)`` in a task does the same
/// with less.
// Sound: what changes is behind a lock; Foundation says the same of the class that this one is
// based on.
public final class ManagedObjectContextOperation<Output: Sendable>: Operation, @unchecked Sendable {
    /// The closure that does the work.
    public typealias Work =
        @Sendable (ManagedObjectContextOperation, ManagedObjectContext) throws -> Output

    private struct State {
        var result: Result<Output, any Error>?
        var isTold = false
        var saveCount = 0
        var onSave: (@Sendable (Int) -> Void)?
        var onCompletion: (@MainActor @Sendable (Result<Output, any Error>) -> Void)?
    }

    /// The container that the work is about.
    public let container: PersistentContainer
    /// The context that the work is done with.
    public let context: BackgroundContext
    /// How far the work is. The work sets the units; cancelling the progress cancels the operation.
    public let progress = Progress(totalUnitCount: -1)

    private let work: Work
    private let state = Locked(State())

    /// Makes an operation whose work is a closure.
    ///
    /// Changes that are left when the closure returns are saved. When it throws, they are rolled
    /// back.
    ///
    /// - Parameters:
    ///   - context: A context of the container; nil for one of the operation's own.
    ///   - options: How its own context is set up.
    ///   - work: Is called once, with this operation and the context.
    public init(
        container: PersistentContainer, context: BackgroundContext? = nil,
        options: ContextOptions? = nil, work: @escaping Work
    ) {
        self.container = container
        self.context = context ?? container.newBackgroundContext(options)
        self.work = work
        super.init()
        cancelWithProgress()
    }

    private func cancelWithProgress() {
        progress.cancellationHandler = { [weak self] in self?.cancel() }
    }

    /// Whether the operation, or its progress, was cancelled.
    public override var isCancelled: Bool { super.isCancelled || progress.isCancelled }

    // MARK: - The work

    /// Saves a chunk of the work.
    ///
    /// - Throws: `CancellationError`, with nothing saved, when the operation was cancelled; or what
    ///   ``ManagedObjectContext/save(isolation:)`` throws.
    public func save(_ context: ManagedObjectContext) throws {
        if isCancelled { throw CancellationError() }
        if !context.hasChanges { return }
        try context.save(isolation: nil)
        let (count, block) = state.withLock { state in
            state.saveCount += 1
            return (state.saveCount, state.onSave)
        }
        block?(count)
    }

    // MARK: - What came of it

    /// The result of the work; nil until the operation is finished. An operation cancelled before
    /// its work was done, or begun, fails with a `CancellationError`.
    public var result: Result<Output, any Error>? {
        state.withLock { $0.result } ?? (isFinished ? .failure(CancellationError()) : nil)
    }

    /// A closure called after each saved chunk, on the queue of the context, with the number of
    /// chunks so far. Set it before the operation is queued.
    public var onSave: (@Sendable (Int) -> Void)? {
        get { state.withLock { $0.onSave } }
        set { state.withLock { $0.onSave = newValue } }
    }

    /// A closure called once with the result of the work. It runs on the main actor, after the
    /// container's view context merged the saved changes. Set it before the operation is queued;
    /// `completionBlock` is called earlier, and on any thread.
    public var onCompletion: (@MainActor @Sendable (Result<Output, any Error>) -> Void)? {
        get { state.withLock { $0.onCompletion } }
        set { state.withLock { $0.onCompletion = newValue } }
    }

    // MARK: - Running

    /// Does the work, unless it was cancelled, and says what came of it. Queues call it.
    public override func start() {
        super.start()
        let completion = state.withLock { state in
            defer { state.isTold = true }
            return state.isTold ? nil : state.onCompletion
        }
        guard let completion, let result else { return }
        Task { @MainActor [container] in
            container.viewContext.processPendingChanges()
            completion(result)
        }
    }

    /// Does the work. Call `start()` instead, or add the operation to a queue.
    public override func main() {
        let result = Result { try context.performAndWait(run) }
        state.withLock { $0.result = result }
        if case .success = result, progress.totalUnitCount > 0 {
            progress.completedUnitCount = progress.totalUnitCount
        }
    }

    private func run(_ context: ManagedObjectContext) throws -> Output {
        do {
            let output = try work(self, context)
            // Work that is done is no longer cancelled.
            if context.hasChanges { try save(context) }
            return output
        } catch {
            context.rollback()
            throw error
        }
    }

    /// Blocks the thread until the operation is finished. A closure of a context that this
    /// operation, or one that it depends on, needs itself traps, naming the circle.
    public override func waitUntilFinished() {
        if isFinished { return }
        BackgroundContext.waiting(for: neededContexts) { super.waitUntilFinished() }
    }
}

extension ManagedObjectContextOperation where Output == Void {
    /// Makes an operation whose work is a value.
    ///
    /// Changes that are left when the work returns are saved. When it throws, they are rolled back.
    ///
    /// - Parameters:
    ///   - work: Is performed once.
    ///   - context: A context of the container; nil for one of the operation's own.
    ///   - options: How its own context is set up.
    public convenience init(
        _ work: some ManagedObjectContextWork, container: PersistentContainer,
        context: BackgroundContext? = nil, options: ContextOptions? = nil
    ) {
        self.init(container: container, context: context, options: options) { _, context in
            try work.perform(in: context)
        }
    }
}

extension ManagedObjectContextOperation {
    /// Shows the container. The work and the context cannot be reached by reflection.
    public var customMirror: Mirror {
        Mirror(self, children: ["container": container], ancestorRepresentation: .suppressed)
    }
}

/// An operation that needs a context.
private protocol ContextNeedingOperation: Operation {
    var context: BackgroundContext { get }
}

extension ManagedObjectContextOperation: ContextNeedingOperation, CustomReflectable {}

extension Operation {
    /// The contexts that this operation, and those that it waits for, work with.
    fileprivate var neededContexts: [BackgroundContext] {
        var contexts: [BackgroundContext] = []
        var seen: Set<ObjectIdentifier> = []
        var open: [Operation] = [self]
        while let operation = open.popLast() {
            guard !operation.isFinished, seen.insert(ObjectIdentifier(operation)).inserted else {
                continue
            }
            if let needing = operation as? any ContextNeedingOperation {
                contexts.append(needing.context)
            }
            open += operation.dependencies
        }
        return contexts
    }
}
