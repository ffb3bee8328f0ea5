import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

// snippet: coredata.list
@MainActor
final class BookList: @MainActor FetchedResultsControllerDelegate {
    let controller: FetchedResultsController<Book>
    private(set) var lines: [String] = []

    init(_ context: ManagedObjectContext) throws {
        controller = FetchedResultsController(
            fetchRequest: FetchRequest<Book>().sorted(by: "author.name").sorted(by: \.title),
            managedObjectContext: context, sectionNameKeyPath: "author.name")
        controller.delegate = self
        try controller.performFetch()
    }

    func controller(
        _ controller: FetchedResultsController<Book>, didChange book: Book,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {
        lines.append("\(kind) \(book.title)")
    }
}
// end

/// What the article says of lists.
@MainActor struct ArticleListTests {
    @Test func aDelegateIsToldOfEachChange() throws {
        let context = try Library.filled().viewContext
        let list = try BookList(context)
        #expect(list.controller.sections?.map(\.numberOfObjects) == [3])
        let book = try context.fetch(FetchRequest<Book>())[0]
        book.title = "Zulu"
        context.processPendingChanges()
        context.delete(book)
        context.processPendingChanges()
        #expect(list.lines == ["move Zulu", "delete Zulu"])
    }

    @Test func eventsAreValues() async throws {
        let context = try Library.filled().viewContext
        let controller = try BookList(context).controller

        let events = controller.events()
        let listener = Task.detached {
            for await case .changed(let snapshot, let changes) in events {
                print(changes.objects.count, "changes,", snapshot.numberOfItems, "books")
            }
        }

        listener.cancel()
        await listener.value
    }

    @Test func viewsObserveResults() async throws {
        let container = try Library.filled()

        let books = try FetchedResults(
            FetchRequest<Book>().sorted(by: \.title), in: container.viewContext)

        #expect(books.objects?.count == 3)
        try await container.performBackgroundTask { context in
            _ = try context.execute(
                BatchDeleteRequest(FetchRequest<Book>().where { $0.pages < 200 }))
        }
        #expect(books.objects?.map(\.pages) == [341, 304])
    }
}
