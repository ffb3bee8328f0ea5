import DuramenModel
public import Foundation

/// Work with a background context as an operation, for programs that queue their work with Foundation's
/// `OperationQueue`: with dependencies, priorities and a limit of how much runs at a time.
///
/// Give it a closure, or override ``perform(in:)``:
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
/// The work runs on the queue of the context, which the operation's thread waits for. ``save(_:)`` ends a chunk. An
/// operation that is cancelled ends there, and what was changed since the last chunk is rolled back; chunks that were
/// saved stay. Other contexts merge each chunk as they merge any save.
///
/// Without operation queues, ``BackgroundContext/perform(_:)`` in a task does the same with less.
// Sound: what changes is behind a lock; Foundation says the same of the class that this one is based on.
open class ManagedObjectContextOperation: Operation, @unchecked Sendable {
    /// What the work is, when it is a closure.
    public typealias Work =
        @Sendable (ManagedObjectContextOperation, ManagedObjectContext) throws -> Void

    private struct State {
        var result: Result<Void, any Error>?
        var isTold = false
        var saveCount = 0
        var onSave: (@Sendable (Int) -> Void)?
        var onCompletion: (@MainActor @Sendable (Result<Void, any Error>) -> Void)?
    }

    /// The container that the work is about.
    public let container: PersistentContainer
    /// The context that the work is done with.
    public let context: BackgroundContext
    /// How far the work is. The work sets the units; cancelling the progress cancels the operation.
    public let progress = Progress(totalUnitCount: -1)

    private let work: Work?
    private let state = Locked(State())

    /// Makes an operation whose class overrides ``perform(in:)``.
    ///
    /// - Parameters:
    ///   - context: A context of the container; nil for one of the operation's own.
    ///   - options: How its own context is set up.
    public init(
        container: PersistentContainer, context: BackgroundContext? = nil,
        options: ContextOptions? = nil
    ) {
        self.container = container
        self.context = context ?? container.newBackgroundContext(options)
        work = nil
        super.init()
        cancelWithProgress()
    }

    /// Makes an operation whose work is a closure.
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
    public final override var isCancelled: Bool { super.isCancelled || progress.isCancelled }

    // MARK: - The work

    /// Does the work, on the queue of the context. Override it, or give the operation a closure.
    ///
    /// Changes that are left when it returns are saved. When it throws, they are rolled back.
    open func perform(in context: ManagedObjectContext) throws { try work?(self, context) }

    /// Saves a chunk of the work.
    ///
    /// - Throws: `CancellationError`, with nothing saved, when the operation was cancelled; or what
    ///   ``ManagedObjectContext/save(isolation:)`` throws.
    public final func save(_ context: ManagedObjectContext) throws {
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

    /// What came of the work: nil until the operation is finished. An operation that was cancelled before its work
    /// was done, or begun, failed with a `CancellationError`.
    public final var result: Result<Void, any Error>? {
        state.withLock { $0.result } ?? (isFinished ? .failure(CancellationError()) : nil)
    }

    /// Is told of each chunk that was saved, on the queue of the context, with the number of chunks so far. Set it
    /// before the operation is queued.
    public final var onSave: (@Sendable (Int) -> Void)? {
        get { state.withLock { $0.onSave } }
        set { state.withLock { $0.onSave = newValue } }
    }

    /// Is told what came of the work, once, on the main actor, after the container's view context merged what was
    /// saved. Set it before the operation is queued; `completionBlock` is told earlier, and anywhere.
    public final var onCompletion: (@MainActor @Sendable (Result<Void, any Error>) -> Void)? {
        get { state.withLock { $0.onCompletion } }
        set { state.withLock { $0.onCompletion = newValue } }
    }

    // MARK: - Running

    /// Does the work, unless it was cancelled, and says what came of it. Queues call it.
    public final override func start() {
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
    public final override func main() {
        let result = Result { try context.performAndWait(run) }
        state.withLock { $0.result = result }
        if case .success = result, progress.totalUnitCount > 0 {
            progress.completedUnitCount = progress.totalUnitCount
        }
    }

    private func run(_ context: ManagedObjectContext) throws {
        do {
            try perform(in: context)
            // Work that is done is no longer cancelled.
            if context.hasChanges { try save(context) }
        } catch {
            context.rollback()
            throw error
        }
    }
}
