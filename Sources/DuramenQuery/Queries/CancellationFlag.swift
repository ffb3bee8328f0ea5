import Synchronization

/// A flag that asks running work to stop. It can be raised from any thread, once.
public final class CancellationFlag: Sendable {
    private let raised = Atomic<Bool>(false)
    private let leader: CancellationFlag?

    /// Creates a flag that is not raised.
    public init() { leader = nil }

    /// Creates a flag that is also raised when another flag is.
    public init(following leader: CancellationFlag?) { self.leader = leader }

    /// Whether the work should stop.
    public var isCancelled: Bool {
        raised.load(ordering: .relaxed) || leader?.isCancelled == true
    }

    /// Asks the work to stop.
    public func cancel() { raised.store(true, ordering: .relaxed) }
}

extension CancellationFlag: Hashable {
    /// Returns whether both are one flag.
    public static func == (a: CancellationFlag, b: CancellationFlag) -> Bool { a === b }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
