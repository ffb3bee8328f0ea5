import DuramenModel
public import Foundation

/// An operation that works with a background context. Use it in programs that queue work with
/// Foundation's `OperationQueue`: with dependencies, priorities and a limit of concurrent
/// operations.
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
/// or a value that conforms to ``ManagedObjectContextWork``. The closure's return value is in
/// ``result``; name its type, as in `ManagedObjectContextOperation<[ManagedObjectID]>(container:
/// container) { … }`. Objects cannot leave the closure.
///
/// The work runs on the queue of the context, and the operation's thread waits for it. ``save(_:)``
/// ends a chunk. A cancelled operation ends there and rolls back the changes since the last chunk;
/// saved chunks stay. Other contexts merge each chunk like any save. A closure that waits for an
/// operation which needs the closure's own context traps with a message that names the circle.
///
/// Without operation queues, `perform(isolation:_:)` of ``BackgroundContext`` in a task is simpler.
// Sound: all mutable state is behind a lock. Foundation's `Operation` is unchecked too.
public final class ManagedObjectContextOperation<Output: Sendable>: Operation, @unchecked Sendable {
    /// A closure that does the work.
    public typealias Work =
        @Sendable (ManagedObjectContextOperation, ManagedObjectContext) throws -> Output

    private struct State {
        var result: Result<Output, any Error>?
        var isTold = false
        var saveCount = 0
        var onSave: (@Sendable (Int) -> Void)?
        var onCompletion: (@MainActor @Sendable (Result<Output, any Error>) -> Void)?
    }

    /// The container of the work.
    public let container: PersistentContainer
    /// The context of the work.
    public let context: BackgroundContext
    /// The progress of the work. The work sets the units; cancelling the progress cancels the
    /// operation.
    public let progress = Progress(totalUnitCount: -1)

    private let work: Work
    private let state = Locked(State())

    /// Creates an operation whose work is a closure.
    ///
    /// When the closure returns, remaining changes are saved. When it throws, they are rolled back.
    ///
    /// - Parameters:
    ///   - container: The container of the work.
    ///   - context: A context of the container; nil to create one.
    ///   - options: The settings of a context that the operation creates.
    ///   - work: Called once, with this operation and the context.
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
    /// - Throws: `CancellationError`, with nothing saved, if the operation was cancelled; or the
    ///   errors of ``ManagedObjectContext/save(isolation:)``.
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

    // MARK: - The result

    /// The result of the work, or nil until the operation is finished. If the operation was
    /// cancelled before its work was done, the result is a `CancellationError`.
    public var result: Result<Output, any Error>? {
        state.withLock { $0.result } ?? (isFinished ? .failure(CancellationError()) : nil)
    }

    /// A closure that is called on the context's queue after each saved chunk, with the number of
    /// chunks so far. Set it before you queue the operation.
    public var onSave: (@Sendable (Int) -> Void)? {
        get { state.withLock { $0.onSave } }
        set { state.withLock { $0.onSave = newValue } }
    }

    /// A closure that receives the result of the work, once, on the main actor, after the
    /// container's view context has merged the saves. Set it before you queue the operation.
    /// `completionBlock` is called earlier, on any thread.
    public var onCompletion: (@MainActor @Sendable (Result<Output, any Error>) -> Void)? {
        get { state.withLock { $0.onCompletion } }
        set { state.withLock { $0.onCompletion = newValue } }
    }

    // MARK: - Running

    /// Does the work, unless it was cancelled, and reports the result. Queues call this method.
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
            // Completed work can no longer be cancelled.
            if context.hasChanges { try save(context) }
            return output
        } catch {
            context.rollback()
            throw error
        }
    }

    /// Blocks the thread until the operation is finished. Traps in a closure of a context that this
    /// operation or one of its dependencies needs, with a message that names the circle.
    public override func waitUntilFinished() {
        if isFinished { return }
        BackgroundContext.waiting(for: neededContexts) { super.waitUntilFinished() }
    }
}

extension ManagedObjectContextOperation where Output == Void {
    /// Creates an operation whose work is a value.
    ///
    /// When the work returns, remaining changes are saved. When it throws, they are rolled back.
    ///
    /// - Parameters:
    ///   - work: The work, performed once.
    ///   - container: The container of the work.
    ///   - context: A context of the container; nil to create one.
    ///   - options: The settings of a context that the operation creates.
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
    /// Shows the container. Reflection does not reach the work and the context.
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
    /// The contexts that this operation and its dependencies use.
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
