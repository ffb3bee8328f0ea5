import Synchronization

/// A flag that asks work in progress to stop; it can be raised from anywhere, once.
public final class CancellationFlag: Sendable {
    private let raised = Atomic<Bool>(false)

    /// Makes a flag that is not raised.
    public init() {}

    /// Whether the work should stop.
    public var isCancelled: Bool { raised.load(ordering: .relaxed) }

    /// Asks the work to stop.
    public func cancel() { raised.store(true, ordering: .relaxed) }
}

extension CancellationFlag: Hashable {
    /// True for the same flag.
    public static func == (a: CancellationFlag, b: CancellationFlag) -> Bool { a === b }

    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
