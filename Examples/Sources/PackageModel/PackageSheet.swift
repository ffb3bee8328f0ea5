public import Duramen

/// A sheet in which somebody edits one package: a child context as its scratch pad. Nothing of it
/// shows anywhere else until it is saved, and what is not saved is gone with the sheet. Its steps
/// can be taken back.
public struct PackageSheet {
    /// The package as the sheet shows it.
    public let package: Package
    private let context: ManagedObjectContext
    private let undoManager = ContextUndoManager()

    /// Opens a sheet over a context, on a package of it.
    public init(editing id: ManagedObjectID, in parent: ManagedObjectContext) throws {
        context = ManagedObjectContext(parent: parent, options: ContextOptions(name: "sheet"))
        package = try context.existingObject(with: id, as: Package.self)
        context.undoManager = undoManager
    }

    /// Files the package under a section, which is made when there is none of that name.
    public func file(under name: String) throws {
        try step("File Under \(name)") { package in
            let found = try context.fetch(FetchRequest<Section>().where { $0.name == name }).first
            package.section = found ?? makeSection(name)
        }
    }

    /// Edits the package as one step, which has a name for the menu.
    public func step(_ name: String, _ edit: (Package) throws -> Void) rethrows {
        undoManager.beginUndoGrouping()
        // Balanced, so that it cannot throw.
        defer { try? undoManager.endUndoGrouping() }
        undoManager.setActionName(name)
        try edit(package)
    }

    private func makeSection(_ name: String) -> Section {
        let section = Section(context: context)
        section.name = name
        return section
    }

    /// Whether there is something to save.
    public var hasChanges: Bool { context.hasChanges }

    /// The name of the step that ``undo()`` takes back; nil when there is none.
    public var nextUndo: String? { undoManager.canUndo ? undoManager.undoActionName : nil }

    /// The name of the step that ``redo()`` makes again; nil when there is none.
    public var nextRedo: String? { undoManager.canRedo ? undoManager.redoActionName : nil }

    /// Takes the last step back.
    public func undo() throws { try context.undo() }

    /// Makes the step again that was taken back last.
    public func redo() throws { try context.redo() }

    /// Hands the edits to the context below, which saves them when it likes.
    public func save() throws { try context.save() }

    /// Takes all edits back.
    public func cancel() { context.rollback() }
}
