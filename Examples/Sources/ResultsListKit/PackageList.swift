public import Duramen
import ExampleSupport
public import PackageModel

/// The packages by section, as a results controller has them, with a cursor and a filter.
///
/// Nothing here ever asks the store again: what changes, here or in a background task, comes from
/// the controller.
@MainActor
public final class PackageList {
    private let context: ManagedObjectContext
    private var controller: FetchedResultsController<Package>
    /// What the names of packages have to contain.
    public private(set) var filter = ""
    /// The place of the cursor among all packages.
    public private(set) var cursor = 0
    /// The object under the cursor, which it follows when rows come and go above.
    private var current: ManagedObjectID?
    /// Objects that changed lately, with the number of frames for which they are shown as changed.
    private var flashes: [ManagedObjectID: Int] = [:]
    /// Is told that there is something new to show.
    public var onChange: () -> Void = {}

    /// How many frames a change is shown for.
    private static let flashFrames = 6

    public init(_ context: ManagedObjectContext) throws {
        self.context = context
        context.undoManager = ContextUndoManager()
        controller = Self.controller(filter: "", context)
        try follow()
    }

    private static func controller(
        filter: String, _ context: ManagedObjectContext
    ) -> FetchedResultsController<Package> {
        var request = FetchRequest<Package>().where { $0.state != .named }
            .sorted(by: "section.name").sorted(by: \.identifier)
        if !filter.isEmpty { request = request.where { $0.identifier.contains(filter) } }
        return FetchedResultsController(
            fetchRequest: request, managedObjectContext: context,
            sectionedBy: { $0.section.name })
    }

    private func follow() throws {
        controller.delegate = self
        try controller.performFetch()
        keepCursor()
    }

    // MARK: - What there is

    /// The number of packages.
    public var count: Int { controller.fetchedObjects?.count ?? 0 }

    /// The sections with their numbers of packages.
    public var sections: [(name: String, count: Int)] {
        controller.sections?.map { ($0.name, $0.numberOfObjects) } ?? []
    }

    /// The package at a place; nil when there is none.
    public func package(at place: Int) -> Package? {
        guard let objects = controller.fetchedObjects, objects.indices.contains(place) else {
            return nil
        }
        return objects[place]
    }

    /// Whether a package is to be shown as changed.
    public func isFlashing(_ package: Package) -> Bool { flashes[package.objectID] != nil }

    /// Whether some package is to be shown as changed.
    public var hasFlashes: Bool { !flashes.isEmpty }

    /// Notes that a frame was shown.
    public func didShowFrame() {
        flashes = flashes.compactMapValues { $0 > 1 ? $0 - 1 : nil }
    }

    /// Whether there are unsaved edits.
    public var hasChanges: Bool { context.hasChanges }

    // MARK: - Looking around

    /// Puts the cursor somewhere.
    public func moveCursor(to place: Int) {
        cursor = max(0, min(place, count - 1))
        current = package(at: cursor)?.objectID
    }

    /// Puts the cursor on the first package of another section.
    public func jump(bySections step: Int) {
        guard let current, let path = controller.indexPath(for: current),
            let sections = controller.sections
        else { return }
        let target = max(0, min(path.section + step, sections.count - 1))
        moveCursor(to: sections[..<target].reduce(0) { $0 + $1.numberOfObjects })
    }

    /// Shows the packages whose names contain a text.
    public func filter(by text: String) throws {
        filter = text
        controller = Self.controller(filter: text, context)
        try follow()
        onChange()
    }

    /// The cursor stays on its package, or near where that was.
    private func keepCursor() {
        if let current, let path = controller.indexPath(for: current),
            let sections = controller.sections
        {
            cursor = sections[..<path.section].reduce(path.row) { $0 + $1.numberOfObjects }
        } else {
            moveCursor(to: cursor)
        }
    }

    // MARK: - Editing

    /// Files the package under the cursor under a section of favourites, or takes it out of there.
    public func toggleFavourite() throws {
        guard let package = package(at: cursor) else { return }
        let isFavourite = package.section?.name == "favourites"
        let name = isFavourite ? "misc" : "favourites"
        let known = try context.fetch(FetchRequest<Section>().where { $0.name == name }).first
        let section = known ?? Section(context: context)
        if known == nil { section.name = name }
        package.section = section
        context.processPendingChanges()
    }

    /// Deletes the package under the cursor.
    public func deletePackage() {
        guard let package = package(at: cursor) else { return }
        context.delete(package)
        context.processPendingChanges()
    }

    /// Takes the last edit back.
    public func undo() throws {
        try context.undo()
        context.processPendingChanges()
    }

    /// Saves the edits.
    public func save() throws { try context.save() }
}

extension PackageList: @MainActor FetchedResultsControllerDelegate {
    public func controller(
        _ controller: FetchedResultsController<Package>, didChange object: Package,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {
        if kind != .delete { flashes[object.objectID] = Self.flashFrames }
    }

    public func controllerDidChangeContent(_ controller: FetchedResultsController<Package>) {
        keepCursor()
        onChange()
    }
}
