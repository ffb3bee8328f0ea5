/// An undo manager with which a context registers closures that revert its changes.
///
/// ``ContextUndoManager`` is Duramen's own and works on every platform. On Apple platforms,
/// `FoundationUndoManager` uses Foundation's `UndoManager`. The method names are Foundation's. An
/// undo manager belongs to the isolation of its contexts.
public protocol UndoManaging: AnyObject {
    /// Whether registrations are recorded.
    var isUndoRegistrationEnabled: Bool { get }

    /// Registers a closure that reverts a change. Changes registered while it runs are for redo.
    ///
    /// The target is not retained; after its release, the closure is not called.
    func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping (Target) throws -> Void)

    /// Removes everything that is registered.
    func removeAllActions()

    /// Removes everything that is registered for a target.
    func removeAllActions(withTarget target: AnyObject)

    /// Undoes the last group of changes.
    func undo() throws

    /// Redoes the changes that were undone last.
    func redo() throws
}
