public import Duramen
public import PackageModel

/// The packages by section, live, for any number of pages.
///
/// The results controller belongs to the main actor, like its context; what leaves here are values.
@MainActor
public final class ListFeed {
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<Package>
    private var pages: [Int: AsyncStream<ListMessage>.Continuation] = [:]
    private var pageCount = 0
    /// What has happened since the controller said that it would change.
    private var change = ListChange()

    /// The most messages that wait for a slow page. Then the connection is closed. The browser
    /// connects again by itself, and begins with the present list.
    private let patience: Int

    public init(_ context: ManagedObjectContext, patience: Int = 256) throws {
        self.context = context
        self.patience = patience
        controller = FetchedResultsController(
            fetchRequest: FetchRequest<Package>().where { $0.state != .named }
                .sorted(by: "section.name").sorted(by: \.identifier),
            managedObjectContext: context, sectionedBy: { $0.section.name })
        controller.delegate = self
        try controller.performFetch()
    }

    /// The number of pages that follow the list.
    public var followerCount: Int { pages.count }

    /// The list as it is, and then each change.
    public func messages() -> AsyncStream<ListMessage> {
        let (stream, page) = AsyncStream<ListMessage>.makeStream(
            bufferingPolicy: .bufferingOldest(patience))
        let number = pageCount
        pageCount += 1
        page.onTermination = { _ in
            Task { @MainActor [weak self] in self?.pages[number] = nil }
        }
        pages[number] = page
        page.yield(.list(list))
        return stream
    }

    private var list: [ListedSection] {
        controller.sections?.map { section in
            ListedSection(name: section.name, rows: section.objects.map(ListedPackage.init))
        } ?? []
    }

    private func tell(_ message: ListMessage) {
        for (number, page) in pages {
            if case .enqueued = page.yield(message) { continue }
            page.finish()
            pages[number] = nil
        }
    }
}

extension ListFeed: @MainActor FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Package>) {
        change = ListChange()
    }

    public func controller(
        _ controller: FetchedResultsController<Package>,
        didChange section: FetchedResultsSection<Package>, atSectionIndex index: Int,
        for kind: FetchedResultsChangeKind
    ) {
        if kind == .delete {
            change.removedSections.append(index)
        } else {
            change.insertedSections.append(.init(index: index, name: section.name))
        }
    }

    public func controller(
        _ controller: FetchedResultsController<Package>, didChange object: Package,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {
        // The place before all changes matters to what goes, the place after them to what is there.
        let row = newIndexPath.map { path in
            ListChange.Row(place: .init(path), package: ListedPackage(object))
        }
        if kind == .update {
            if let row { change.updatedRows.append(row) }
            return
        }
        if let indexPath { change.removedRows.append(.init(indexPath)) }
        if let row { change.insertedRows.append(row) }
    }

    public func controllerDidChangeContent(_ controller: FetchedResultsController<Package>) {
        change.removedRows.sort { $1.comes(before: $0) }
        change.removedSections.sort(by: >)
        change.insertedSections.sort { $0.index < $1.index }
        change.insertedRows.sort { $0.place.comes(before: $1.place) }
        tell(.change(change))
    }

    public func controllerDidReset(_ controller: FetchedResultsController<Package>) {
        // What cannot be read any more is not shown either.
        try? controller.performFetch()
        tell(.list(list))
    }
}

extension ListChange.Place {
    fileprivate init(_ path: FetchedResultsIndexPath) {
        self.init(section: path.section, row: path.row)
    }

    fileprivate func comes(before other: Self) -> Bool {
        (section, row) < (other.section, other.row)
    }
}

extension ListedPackage {
    fileprivate init(_ package: Package) {
        self.init(
            id: package.objectID.description, name: package.identifier,
            version: package.version ?? "", synopsis: package.synopsis ?? "")
    }
}
