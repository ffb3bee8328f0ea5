import Dispatch

/// Runs an actor's work on a dispatch queue of its own, because waiting for a disk must not hold up the
/// cooperative pool.
final class ContextExecutor: SerialExecutor {
    private static let key = DispatchSpecificKey<ObjectIdentifier>()
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// The executor whose queue the caller runs on; nil for none.
    static var current: ObjectIdentifier? { DispatchQueue.getSpecific(key: key) }

    /// Whether the caller runs on the queue.
    var isCurrent: Bool { Self.current == ObjectIdentifier(self) }

    func checkIsolated() {
        precondition(isCurrent, "Duramen: the context was used outside of its queue.")
    }
}
