import Duramen
import DuramenMacros
import DuramenMemory
import Observation
import Synchronization
import Testing

enum LiveListsModel {
    // snippet: lists.delegate
    @MainActor
    final class ShelfLog: @MainActor FetchedResultsControllerDelegate {
        private(set) var lines: [String] = []

        func controller(
            _ controller: FetchedResultsController<Book>, didChange book: Book,
            at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
            newIndexPath: FetchedResultsIndexPath?
        ) {
            lines.append("\(kind) \(book.title)")
        }

        func controller(
            _ controller: FetchedResultsController<Book>,
            didChange section: FetchedResultsSection<Book>, atSectionIndex index: Int,
            for kind: FetchedResultsChangeKind
        ) {
            lines.append("\(kind) section \(section.name)")
        }
    }
    // end

    // snippet: lists.snapshots
    @MainActor
    final class ShelfSnapshots: @MainActor FetchedResultsSnapshotDelegate {
        private(set) var latest: FetchedResultsSnapshot?

        func controller(
            _ controller: FetchedResultsController<Book>,
            didChangeContentWith snapshot: FetchedResultsSnapshot
        ) {
            latest = snapshot
        }
    }
    // end

    @MainActor
    final class ShelfDifferences: @MainActor FetchedResultsDifferenceDelegate {
        private(set) var latest: CollectionDifference<ManagedObjectID>?

        func controller(
            _ controller: FetchedResultsController<Book>,
            didChangeContentWith difference: CollectionDifference<ManagedObjectID>
        ) {
            latest = difference
        }
    }

    @MainActor
    final class ShelfResets: @MainActor FetchedResultsControllerDelegate {
        typealias Object = Book
        private(set) var resets = 0
        func controllerDidReset(_ controller: FetchedResultsController<Book>) { resets += 1 }
    }

    /// Three books by Le Guin, and one by Lem.
    @MainActor static func library() throws -> PersistentContainer {
        let container = try Library.filled()
        let author = Author(context: container.viewContext)
        author.name = "Stanisław Lem"
        let book = Book(context: container.viewContext)
        (book.isbn, book.title, book.pages, book.author) = ("4", "Solaris", 204, author)
        try container.viewContext.save()
        return container
    }
}

/// What the article LiveLists says.
@MainActor struct LiveListsTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try LiveListsModel.library()
        context = container.viewContext
    }

    private func book(_ title: String) throws -> Book {
        try #require(try context.fetch(FetchRequest<Book>().where { $0.title == title }).first)
    }

    private func controller(limit: Int? = nil) -> FetchedResultsController<Book> {
        var request = FetchRequest<Book>().sorted(by: \.title)
        request.fetchLimit = limit
        return FetchedResultsController(fetchRequest: request, managedObjectContext: context)
    }

    private func sectioned() throws -> FetchedResultsController<Book> {
        // snippet: lists.sections
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Book>().sorted(by: "author.name").sorted(by: \.title),
            managedObjectContext: context, sectionedBy: { $0.author.name })
        try controller.performFetch()

        for section in controller.sections ?? [] {
            print(section.name, section.numberOfObjects)
            for book in section.objects { print("-", book.title) }
        }
        // end
        return controller
    }

    @Test func aListFollowsItsContext() async throws {
        // snippet: lists.first
        let books = try FetchedResults(
            FetchRequest<Book>().where { $0.pages > 200 }.sorted(by: \.title),
            in: container.viewContext)

        try await container.performBackgroundTask { context in
            let book = Book(context: context)
            (book.isbn, book.title, book.pages) = ("5", "Roadside Picnic", 224)
            try context.save()
        }

        let titles = books.objects?.map(\.title) ?? []
        // end
        #expect(
            titles == [
                "Roadside Picnic", "Solaris", "The Dispossessed", "The Left Hand of Darkness",
            ])
        #expect(books.error == nil && books.sections.map(\.name) == [""])
    }

    @Test func aViewObservesResults() throws {
        let books = try FetchedResults(FetchRequest<Book>().sorted(by: \.title), in: context)
        let changes = Mutex(0)
        func draw() {
            // snippet: lists.observe
            withObservationTracking {
                print(books.objects?.count ?? 0, "books")
            } onChange: {
                changes.withLock { $0 += 1 }
            }
            // end
        }
        draw()
        context.delete(try book("Solaris"))
        try book("The Dispossessed").pages += 1
        context.processPendingChanges()
        #expect(changes.withLock { $0 } == 1 && books.objects?.count == 3)
    }

    @Test func sectionsAreNamedByAnAttribute() throws {
        let controller = try sectioned()
        #expect(controller.sections?.map(\.name) == ["Stanisław Lem", "Ursula K. Le Guin"])
        #expect(controller.sections?.map(\.numberOfObjects) == [1, 3])
        #expect(controller.sectionNameKeyPath == "author.name")
        let spelled = FetchedResultsController(
            fetchRequest: controller.fetchRequest, managedObjectContext: context,
            sectionNameKeyPath: "author.name")
        try spelled.performFetch()
        #expect(spelled.sections?.map(\.name) == controller.sections?.map(\.name))
    }

    @Test func aClosureNamesSections() throws {
        // snippet: lists.closure
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Book>().sorted(by: \.pages), managedObjectContext: context,
            sectionName: { $0.pages < 300 ? "short" : "long" })
        // end
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["short", "long"])
        let torn = FetchedResultsController(
            fetchRequest: FetchRequest<Book>().sorted(by: \.title), managedObjectContext: context,
            sectionName: { $0.pages < 300 ? "short" : "long" })
        let error = #expect(throws: ContextError.self) { try torn.performFetch() }
        #expect(error?.code == .invalidRequest)
    }

    @Test func anIndexPathIsASectionAndARow() throws {
        let controller = try sectioned()
        let book = try book("The Dispossessed")

        // snippet: lists.paths
        let path = FetchedResultsIndexPath(row: 0, section: 1)
        let first = controller.object(at: path)
        let position = controller.indexPath(for: book)
        let titles = controller.sectionIndexTitles
        // end

        #expect(first == book && position == path && titles == ["S", "U"])
        #expect(try controller.section(forSectionIndexTitle: "U", at: 1) == 1)
        context.delete(book)
        context.processPendingChanges()
        #expect(controller.indexPath(for: book) == path, "nobody follows the list")
    }

    @Test func aDelegateReceivesEachChange() throws {
        let log = LiveListsModel.ShelfLog()
        let controller = try sectioned()
        controller.delegate = log
        let solaris = try book("Solaris")
        solaris.author?.name = "Lem, Stanisław"
        context.processPendingChanges()
        #expect(
            log.lines == [
                "delete section Stanisław Lem", "insert section Lem, Stanisław", "move Solaris",
            ])
        context.delete(solaris)
        context.processPendingChanges()
        #expect(
            log.lines.dropFirst(3) == ["delete section Lem, Stanisław", "delete Solaris"])
        // A change that shows nothing else.
        try context.save()
        #expect(log.lines.count == 5)
    }

    @Test func changesCountPositionsBeforeAndAfter() async throws {
        let controller = controller()
        try controller.performFetch()
        var events = controller.events().makeAsyncIterator()
        context.delete(try book("Solaris"))
        try book("The Lathe of Heaven").pages += 1
        context.processPendingChanges()
        _ = await events.next()
        guard case .changed(_, let changes)? = await events.next() else {
            Issue.record("no change")
            return
        }
        let objects = changes.objects.sorted { $0.kind < $1.kind }
        #expect(objects.map(\.kind) == [.delete, .update])
        // The row moves up because another one is gone. That is not a move.
        #expect(objects.map(\.indexPath?.row) == [0, 2])
        #expect(objects.map(\.newIndexPath?.row) == [nil, 1])
    }

    @Test func aSnapshotDelegateReceivesSnapshots() throws {
        let delegate = LiveListsModel.ShelfSnapshots()
        let controller = controller()
        controller.delegate = delegate
        try controller.performFetch()
        let book = try book("Solaris")
        book.pages += 1
        let new = Book(context: context)
        (new.isbn, new.title) = ("6", "Always Coming Home")
        context.processPendingChanges()
        let snapshot = try #require(delegate.latest)
        #expect(snapshot.numberOfItems == 5)
        #expect(snapshot.reloadedItemIdentifiers == [book.objectID])
        // Its ID stays the same through the first save.
        let id = try #require(snapshot.itemIdentifiers.first)
        #expect(!id.isTemporaryID)
        try context.save()
        #expect(new.objectID == id)
    }

    @Test func aDifferenceDelegateReceivesDifferences() throws {
        let delegate = LiveListsModel.ShelfDifferences()
        let controller = controller()
        controller.delegate = delegate
        try controller.performFetch()
        let before = try #require(controller.fetchedObjects?.objectIDs)
        context.delete(try book("Solaris"))
        context.processPendingChanges()
        let difference = try #require(delegate.latest)
        #expect(before.applying(difference) == controller.fetchedObjects?.objectIDs)
        #expect(difference.count == 1)
    }

    @Test func eventsReachAnyActor() async throws {
        let controller = controller()
        try controller.performFetch()

        // snippet: lists.events
        let events = controller.events()
        let counts = Task.detached {
            var counts: [Int] = []
            for await event in events {
                switch event {
                case .fetched(let snapshot), .changed(let snapshot, _):
                    counts.append(snapshot.numberOfItems)
                case .reset, .failed, .missed:
                    return counts
                }
            }
            return counts
        }
        // end

        context.delete(try book("Solaris"))
        context.processPendingChanges()
        context.reset()
        context.processPendingChanges()
        #expect(await counts.value == [4, 3])
        #expect(controller.fetchedObjects == nil)
    }

    @Test func aResetIsReported() throws {
        let delegate = LiveListsModel.ShelfResets()
        let controller = controller()
        controller.delegate = delegate
        try controller.performFetch()
        context.reset()
        context.processPendingChanges()
        #expect(delegate.resets == 1 && controller.fetchedObjects == nil)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 4)
    }

    @Test func aLimitIsKeptExactly() throws {
        let log = LiveListsModel.ShelfLog()
        let controller = controller(limit: 2)
        controller.delegate = log
        try controller.performFetch()
        context.delete(try book("Solaris"))
        context.processPendingChanges()
        #expect(log.lines == ["delete Solaris", "insert The Lathe of Heaven"])
    }

    @Test func aListThatNobodyFollowsStaysAsItWas() throws {
        let controller = controller()
        try controller.performFetch()
        context.delete(try book("Solaris"))
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 4)
        let log = LiveListsModel.ShelfLog()
        controller.delegate = log
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 3 && log.lines == ["delete Solaris"])
    }

    @Test func followingReadsNothing() async throws {
        let results = try FetchedResults(FetchRequest<Book>().sorted(by: \.title), in: context)
        try await container.performBackgroundTask { context in
            for book in try context.fetch(FetchRequest<Book>()) { book.pages += 1 }
            try context.save()
            let new = Book(context: context)
            (new.isbn, new.title) = ("6", "Always Coming Home")
            try context.save()
        }
        let counters = container.persistentStoreCoordinator.store.counters
        let before = counters.statements
        #expect(results.objects?.first?.title == "Always Coming Home")
        #expect(results.objects?.map(\.pages).last == 305)
        #expect(counters.statements == before)
        #expect(results.controller.comparisonCount > 0)
    }

    @Test func resultsOfOneNameAreShared() throws {
        let request = FetchRequest<Book>().sorted(by: \.title)
        let coordinator = container.persistentStoreCoordinator

        // snippet: lists.cache
        let controller = FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, cacheName: "shelf")
        try controller.performFetch()
        // end

        let before = coordinator.store.counters.statements
        let second = FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, cacheName: "shelf")
        try second.performFetch()
        #expect(second.fetchedObjects?.count == 4)
        #expect(coordinator.store.counters.statements == before)
        try book("Solaris").pages += 1
        try context.save()
        let third = FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, cacheName: "shelf")
        try third.performFetch()
        #expect(third.fetchedObjects?.first?.pages == 205)
        FetchedResultsController.deleteCache(withName: "shelf")
    }

    @Test func theFetchNeedNotHoldTheOwner() async throws {
        let controller = controller()

        // snippet: lists.offowner
        controller.computesChangesOffOwner = true
        try await controller.performFetchOffOwner()
        // end

        #expect(controller.fetchedObjects?.count == 4)
    }
}
