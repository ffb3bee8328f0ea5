/// A store that notices writes to it, by this or another process.
///
/// It declares ``StoreCapabilities/changeObservation``, and adds a law to those of
/// ``PersistentStore``: soon after any commit, each observer is called. One call may cover many
/// commits, and some calls cover none.
public protocol ChangeObservingStore: PersistentStore {
    /// Starts to observe the store.
    ///
    /// - Parameter body: Called on a thread of the store, one call at a time. It may read the
    ///   store.
    /// - Returns: An observation that ends when it is released. Nil if the system cannot report
    ///   changes; check the store's state periodically instead.
    func observeChanges(_ body: @escaping @Sendable () -> Void) throws(StoreError)
        -> StoreObservation?
}

/// An observation of a store, which ends when this object is released. It does not wait for a call
/// in progress.
public final class StoreObservation: Sendable {
    private let end: @Sendable () -> Void

    /// Creates an observation that calls a closure at its end.
    public init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

extension PersistentStore {
    /// The store as one that can be observed; nil when it does not declare
    /// ``StoreCapabilities/changeObservation``.
    public var observing: (any ChangeObservingStore)? {
        capabilities.contains(.changeObservation) ? self as? any ChangeObservingStore : nil
    }
}
