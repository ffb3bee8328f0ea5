import Dispatch

/// Runs an actor's work on its own dispatch queue, because waiting for a disk must not block the
/// cooperative pool.
final class ContextExecutor: SerialExecutor {
    /// The identity that the queue stores; it does not retain the executor, which retains the
    /// queue.
    struct Identity: Sendable {
        let id: ObjectIdentifier
        let label: String
    }

    private static let key = DispatchSpecificKey<Identity>()
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: Self.key, value: identity)
    }

    var identity: Identity { Identity(id: ObjectIdentifier(self), label: queue.label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// The executor whose queue the caller runs on; nil if there is none.
    static var current: Identity? { DispatchQueue.getSpecific(key: key) }

    /// Whether the caller runs on the queue.
    var isCurrent: Bool { Self.current?.id == ObjectIdentifier(self) }

    // The runtime asks this first, so that the caller of the check writes the message.
    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    func checkIsolated() {
        precondition(isCurrent, "Duramen: the context was used outside of its queue.")
    }
}
