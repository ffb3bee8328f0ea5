#if canImport(Darwin)
public import Foundation

/// Uses Foundation's `UndoManager` as the undo manager of a main-actor context. The context's
/// changes are undone in order with all others that a document or responder registers.
///
/// ```swift
/// context.undoManager = FoundationUndoManager(document.undoManager)
/// ```
///
/// Groups are Foundation's. As with Core Data, call `processPendingChanges()` before and after
/// disabling registration, and before beginning and ending a group. Also call it before
/// Foundation's `undo()`; the context's own `undo()` does so. Use it only on the main actor; it
/// traps elsewhere.
public final class FoundationUndoManager: UndoManaging {
    /// Foundation's undo manager.
    public let undoManager: UndoManager
    private let failures = UndoFailures()

    /// Creates an undo manager that uses Foundation's.
    public init(_ undoManager: UndoManager) { self.undoManager = undoManager }

    /// The error of the last undo by Foundation's manager; nil if it succeeded. After an error the
    /// context is unchanged.
    public var lastFailure: (any Error)? { failures.last }

    /// Whether Foundation's manager records registrations.
    public var isUndoRegistrationEnabled: Bool {
        MainActor.assumeIsolated { undoManager.isUndoRegistrationEnabled }
    }

    /// Registers a closure with Foundation's manager.
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

    /// Removes everything that is registered, also by others.
    public func removeAllActions() {
        MainActor.assumeIsolated { undoManager.removeAllActions() }
    }

    /// Removes everything that is registered for a target.
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

    /// Redoes the changes that were undone last.
    public func redo() throws {
        failures.last = nil
        MainActor.assumeIsolated { undoManager.redo() }
        if let failure = failures.last { throw failure }
    }
}

@available(*, unavailable, message: "an undo manager belongs to the main actor")
extension FoundationUndoManager: Sendable {}

/// A value that stays on the main actor.
// Sound: it is made and used in code that asserts to run there.
private struct OnMainActor<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The error of an action that cannot throw.
// Sound: it is used on the main actor only, as Foundation's manager.
private final class UndoFailures: @unchecked Sendable {
    var last: (any Error)?
}
#endif
