#if canImport(Darwin)
public import Foundation

/// Uses Foundation's `UndoManager` as the undo manager of a main-actor context. The context's
/// changes are undone in order with all others that a document or responder registers.
///
/// ```swift
/// context.undoManager = FoundationUndoManager(document.undoManager)
/// ```
///
/// Groups are those of Foundation. Call `processPendingChanges()` before and after disabling
/// registration, before beginning and ending a group, and before calling Foundation's `undo()`
/// yourself, as with Core Data; the context's own `undo()` does so. Use it on the main actor only;
/// anywhere else it traps.
public final class FoundationUndoManager: UndoManaging {
    /// The manager behind this.
    public let undoManager: UndoManager
    private let failures = UndoFailures()

    /// Puts a manager to use.
    public init(_ undoManager: UndoManager) { self.undoManager = undoManager }

    /// The reason why Foundation's manager could not undo its last group, or nil if it could. After
    /// a failure the context is unchanged.
    public var lastFailure: (any Error)? { failures.last }

    /// Whether Foundation's manager keeps what is registered.
    public var isUndoRegistrationEnabled: Bool {
        MainActor.assumeIsolated { undoManager.isUndoRegistrationEnabled }
    }

    /// Registers with Foundation's manager.
    public func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping (Target) throws -> Void
    ) {
        let (failures, registered) = (failures, OnMainActor(target))
        let action = OnMainActor(handler)
        MainActor.assumeIsolated {
            undoManager.registerUndo(withTarget: registered.value) { target in
                do { try action.value(target) } catch { failures.last = error }
            }
        }
    }

    /// Forgets everything that is registered, by others too.
    public func removeAllActions() {
        MainActor.assumeIsolated { undoManager.removeAllActions() }
    }

    /// Forgets what is registered for a target.
    public func removeAllActions(withTarget target: AnyObject) {
        let registered = OnMainActor(target)
        MainActor.assumeIsolated { undoManager.removeAllActions(withTarget: registered.value) }
    }

    /// Undoes the last group of changes of any kind.
    public func undo() throws {
        failures.last = nil
        MainActor.assumeIsolated { undoManager.undo() }
        if let failure = failures.last { throw failure }
    }

    /// Makes the changes again that were taken back last.
    public func redo() throws {
        failures.last = nil
        MainActor.assumeIsolated { undoManager.redo() }
        if let failure = failures.last { throw failure }
    }
}

@available(*, unavailable, message: "an undo manager belongs to the main actor")
extension FoundationUndoManager: Sendable {}

/// Something that stays on the main actor.
// Sound: it is made and used in code that asserts to run there.
private struct OnMainActor<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// What went wrong in an action that cannot throw.
// Sound: it is used on the main actor only, as Foundation's manager.
private final class UndoFailures: @unchecked Sendable {
    var last: (any Error)?
}
#endif
