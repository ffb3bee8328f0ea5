import Synchronization

/// A flag that asks work in progress to stop; it can be raised from anywhere, once.
public final class CancellationFlag: Sendable {
    private let raised = Atomic<Bool>(false)
    private let leader: CancellationFlag?

    /// Makes a flag that is not raised.
    public init() { leader = nil }

    /// Makes a flag that is raised with another one too.
    public init(following leader: CancellationFlag?) { self.leader = leader }

    /// Whether the work should stop.
    public var isCancelled: Bool {
        raised.load(ordering: .relaxed) || leader?.isCancelled == true
    }

    /// Asks the work to stop.
    public func cancel() { raised.store(true, ordering: .relaxed) }
}

extension CancellationFlag: Hashable {
    /// True for the same flag.
    public static func == (a: CancellationFlag, b: CancellationFlag) -> Bool { a === b }

    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
