/// A store that notices when somebody may have written to it, here or in another process.
///
/// It declares ``StoreCapabilities/changeObservation``, and adds a law to those of
/// ``PersistentStore``: after a commit, whoever made it, each observer is called soon. One call may
/// stand for many commits, and some for none.
public protocol ChangeObservingStore: PersistentStore {
    /// Begins to observe.
    ///
    /// - Parameter body: Is called on a thread of the store's, one call after the other. It may
    ///   read the store.
    /// - Returns: What ends the observation when it is released. Nil where the system cannot tell;
    ///   look at the state now and then instead.
    func observeChanges(_ body: @escaping @Sendable () -> Void) throws(StoreError)
        -> StoreObservation?
}

/// An observation, which ends when this is released. A call that is under way is not waited for.
public final class StoreObservation: Sendable {
    private let end: @Sendable () -> Void

    /// Makes an observation.
    public init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

extension PersistentStore {
    /// The store, if it can be observed; nil when it does not declare
    /// ``StoreCapabilities/changeObservation``.
    public var observing: (any ChangeObservingStore)? {
        capabilities.contains(.changeObservation) ? self as? any ChangeObservingStore : nil
    }
}
