public import Duramen

/// A sheet in which somebody edits one package: a child context as its scratch pad. Nothing of it shows
/// anywhere else until it is saved, and what is not saved is gone with the sheet.
public struct PackageSheet {
    /// The package as the sheet shows it.
    public let package: Package
    private let context: ManagedObjectContext

    /// Opens a sheet over a context, on a package of it.
    public init(editing id: ManagedObjectID, in parent: ManagedObjectContext) throws {
        context = ManagedObjectContext(parent: parent, options: ContextOptions(name: "sheet"))
        package = try context.existingObject(with: id, as: Package.self)
    }

    /// Files the package under a section, which is made when there is none of that name.
    public func file(under name: String) throws {
        let found = try context.fetch(FetchRequest<Section>().where { $0.name == name }).first
        package.section = found ?? makeSection(name)
    }

    private func makeSection(_ name: String) -> Section {
        let section = Section(context: context)
        section.name = name
        return section
    }

    /// Whether there is something to save.
    public var hasChanges: Bool { context.hasChanges }

    /// Hands the edits to the context below, which saves them when it likes.
    public func save() throws { try context.save() }

    /// Takes all edits back.
    public func cancel() { context.rollback() }
}
