/// Where a context registers what takes its changes back.
///
/// ``ContextUndoManager`` is Duramen's own, the same on every platform. On Apple platforms
/// `FoundationUndoManager` puts Foundation's `UndoManager` behind this protocol. The names are
/// Foundation's. An undo manager belongs to the isolation of its contexts.
public protocol UndoManaging: AnyObject {
    /// Whether what is registered is kept.
    var isUndoRegistrationEnabled: Bool { get }

    /// Registers a closure that reverts a change. Changes registered while it runs are for redo.
    ///
    /// The target is not kept alive; without it there is nothing to do.
    func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping (Target) throws -> Void)

    /// Forgets everything that is registered.
    func removeAllActions()

    /// Forgets what is registered for a target.
    func removeAllActions(withTarget target: AnyObject)

    /// Takes the last group of changes back.
    func undo() throws

    /// Makes the changes again that were taken back last.
    func redo() throws
}
