import Dispatch
import DuramenModel
import Foundation

/// Whether contexts detect at run time that they are used outside of their owner.
///
/// The compiler rejects such programs, except for a few cases that Swift itself misses; the article
/// ContextsAndConcurrency lists them. Debug builds of the library always check. Release builds
/// check with `DURAMEN_CONCURRENCY_DEBUG=1`.
enum ConcurrencyCheck {
    #if DEBUG
    static let isOn = true
    #else
    static let isOn =
        ProcessInfo.processInfo.environment["DURAMEN_CONCURRENCY_DEBUG"] == "1"
    #endif

    /// Identifies the main queue; on Linux its thread changes.
    static let mainQueue = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()
}

extension ManagedObjectContext {
    /// Traps if the context is used outside of its owner, in builds that check this.
    @inline(__always)
    func requireOwner() { main.requireOwner() }
}

extension ContextPart {
    /// Traps if the context is used outside of its owner, in builds that check this.
    @inline(__always)
    func requireOwner(for object: ManagedObject? = nil) {
        if handle.checksOwner { requireOwnerNow(for: object) }
    }

    @inline(never)
    private func requireOwnerNow(for object: ManagedObject?) {
        guard let owner = topPart.inbox.owner else { return }
        if let isCurrent = owner === MainActor.shared ? isOnMainActor : owner.isCurrent {
            if !isCurrent { fatalError(misuse(of: object)) }
        } else {
            // An executor of the application traps with its own message.
            owner.preconditionIsolated(misuse(of: object))
        }
    }

    /// Whether the caller runs on the main actor: in a task, in a block of the main queue, or
    /// directly on the main thread.
    private var isOnMainActor: Bool {
        MainActor.shared.isCurrent == true || Thread.isMainThread
            || DispatchQueue.getSpecific(key: ConcurrencyCheck.mainQueue) != nil
    }

    private func misuse(of object: ManagedObject?) -> String {
        let subject = object.map { "\($0.objectID) of the context" } ?? "the context"
        let owner = context.ownerInFamily?.name ?? "another actor"
        return "Duramen: \(subject) '\(handle.contextName)' was used outside of \(owner), which it "
            + "belongs to. Pass an object ID or values instead of the object, and work with the "
            + "context in perform or on its actor; see the article 'Contexts and concurrency'."
    }
}
