import Duramen

/// A container over a fresh store, with a context whose changes can be taken back.
@MainActor struct UndoDesk {
    let container: PersistentContainer
    let context: ManagedObjectContext
    /// Sees what is stored.
    let reader: ManagedObjectContext
    let undoManager = ContextUndoManager()

    init(_ kind: StoreKind, _ model: ManagedObjectModel = Seismology.model) throws {
        container = try kind.container(model)
        context = container.viewContext
        reader = container.makeContext(ContextOptions(name: "reader"))
        context.undoManager = undoManager
    }

    /// Saves, and forgets the steps up to now.
    func settle() throws {
        try context.save()
        undoManager.removeAllActions()
    }
}
