import Duramen
import DuramenMemory
import DuramenTestKit
import Foundation
import Testing

// snippet: retry.first
/// Adds pages to a book. Tries again when another save was first, or when the store was busy.
func addPages(
    _ pages: Int, to id: ManagedObjectID, in container: PersistentContainer
) async throws {
    for attempt in 1...5 {
        do {
            return try await container.performBackgroundTask { context in
                let book = try context.existingObject(with: id, as: Book.self)
                book.pages += pages
                try context.save()
            }
        } catch is SaveConflictError where attempt < 5 {
            // The next attempt reads the values of the other save.
        } catch let error as StoreError where error.code == .storeBusy && attempt < 5 {
            // The store has already waited for its time-out.
        }
    }
}
// end

/// What the article says of errors.
@MainActor struct ErrorsWorthARetryTests {
    private let plan = FaultPlan()

    /// A store that fails where the plan says so, and a second container over the same store.
    private func containers() throws -> (here: PersistentContainer, there: PersistentContainer) {
        let store = PersistentStoreDescription.memory(UUID().uuidString)
        let here = try PersistentContainer.open(
            model: Library.model.get(), stores: [plan.faulty(store)])
        let book = Book(context: here.viewContext)
        (book.isbn, book.title, book.pages) = ("1", "Solaris", 100)
        try here.viewContext.save()
        return (here, try PersistentContainer.open(model: Library.model.get(), stores: [store]))
    }

    private func book(_ container: PersistentContainer) throws -> Book {
        try container.viewContext.fetch(FetchRequest<Book>())[0]
    }

    /// The pages that the store has.
    private func stored(_ container: PersistentContainer) throws -> Int {
        try container.makeContext().fetch(FetchRequest<Book>())[0].pages
    }

    @Test func aConflictIsTriedAgain() async throws {
        let (here, there) = try containers()
        let id = try book(here).objectID
        plan.act(before: .save) {
            there.newBackgroundContext().performAndWait { context in
                do {
                    try context.fetch(FetchRequest<Book>())[0].pages += 1_000
                    try context.save()
                } catch { Issue.record(error) }
            }
        }
        try await addPages(10, to: id, in: here)
        #expect(try stored(there) == 1_110)
    }

    @Test func aBusyStoreIsTriedAgainButNotForEver() async throws {
        let (here, there) = try containers()
        let id = try book(here).objectID
        for number in 1...4 { plan.fail(.save, at: number, with: .storeBusy) }
        let saves = plan.count(of: .save)
        try await addPages(10, to: id, in: here)
        #expect(try stored(there) == 110)
        #expect(plan.count(of: .save) == saves + 5)
        for number in 1...5 { plan.fail(.save, at: number, with: .storeBusy) }
        let error = await #expect(throws: StoreError.self) {
            try await addPages(10, to: id, in: here)
        }
        #expect(try error?.code == .storeBusy && stored(there) == 110)
    }

    @Test func anUnknownOutcomeBelongsToItsContext() async throws {
        let (here, there) = try containers()
        let id = try book(here).objectID
        plan.fail(.save, with: .unknownOutcome, .after)
        let error = await #expect(throws: StoreError.self) {
            try await addPages(10, to: id, in: here)
        }
        #expect(error?.code == .unknownOutcome)
        #expect(try stored(there) == 110, "another attempt would add the pages twice")
    }

    @Test func aSaveIsTriedAgainWhenThereIsRoom() throws {
        let (here, there) = try containers()
        let context = here.viewContext
        try book(here).pages = 120
        plan.fail(.save, with: .diskFull)
        var isRemoved = false
        func removeOldDownloads() { isRemoved = true }

        // snippet: retry.disk
        do {
            try context.save()
        } catch let error as StoreError where error.code == .diskFull {
            // Nothing was written, and the context still has all changes.
            removeOldDownloads()
            try context.save()
        }
        // end

        #expect(try isRemoved && stored(there) == 120)
    }

    @Test func aSaveOfUnknownOutcomeIsSettledByItsContext() throws {
        let (here, there) = try containers()
        let context = here.viewContext
        try book(here).pages += 10
        plan.fail(.save, with: .unknownOutcome, .after)
        #expect(throws: StoreError.self) { try context.save() }

        // snippet: retry.unknown
        if context.hasSaveOfUnknownOutcome {
            let isCommitted = try context.resolveUnknownSave()
            print(isCommitted == true ? "It was saved." : "It is still to be saved.")
        }
        // end

        #expect(!context.hasSaveOfUnknownOutcome && !context.hasChanges)
        #expect(try stored(there) == 110)
        plan.fail(.save, with: .unknownOutcome)
        try book(here).pages += 10
        #expect(throws: StoreError.self) { try context.save() }
        #expect(try context.resolveUnknownSave() == false && context.hasChanges)
        try context.save()
        #expect(try stored(there) == 120)
    }

    @Test func aGetterKeepsItsError() throws {
        let (here, _) = try containers()
        let context = here.viewContext
        let id = try book(here).objectID
        context.reset()
        let book = context.object(with: id, as: Book.self)
        var lines: [String] = []
        func log(_ line: String) { lines.append(line) }

        // snippet: retry.faults
        context.onFaultFailure = { object, error in
            log("\(object.objectID) could not be read: \(error)")
        }
        // end

        plan.fail(.rows, with: .io)
        #expect(book.pages == 0 && book.faultError != nil && lines.count == 1)
        #expect(book.title == "Solaris", "the next read tries again")
        let error = try #require(throws: StoreError.self) { try context.save() }
        #expect(error.code == .io && book.faultError == nil)
        try context.save()
        try context.refresh(book, mergeChanges: false)
        plan.fail(.rows, with: .io)
        func show(_ text: String) { lines.append(text) }
        func pages() throws {
            // snippet: retry.load
            try book.load()
            show("\(book.title), \(book.pages) pages")
            // end
        }
        #expect(throws: StoreError.self) { try pages() }
        #expect(lines.count == 1 && !context.hasChanges)
        try pages()
        #expect(lines.last == "Solaris, 100 pages")
        try context.save()
    }

    @Test func severalFailuresComeTogether() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let ids = try context.fetchObjectIDs(FetchRequest<Book>())
        context.reset()
        let books = ids.prefix(2).map { context.object(with: $0, as: Book.self) }
        try container.newBackgroundContext().performAndWait { other in
            for id in ids { other.delete(try other.existingObject(with: id)) }
            try other.save()
        }
        #expect(books.map(\.title) == ["", ""])
        let error = try #require(throws: FaultFailures.self) { try context.save() }
        #expect(error.errors.count == 2)
        #expect((error.errors.first as? ContextError)?.code == .objectNotFound)
        try context.save()
    }

    @Test func aCodeIsComparedAndTheOthersGoToADefault() throws {
        func advice(_ error: StoreError) -> String {
            // snippet: retry.codes
            switch error.code {
            case .storeBusy, .readersExhausted: "Try again later."
            case .diskFull: "Free some space, then try again."
            case .damagedFile, .damagedValue: "Restore a copy."
            default: error.message
            }
            // end
        }
        #expect(advice(StoreError(.storeBusy, "busy")) == "Try again later.")
        #expect(advice(StoreError(.readOnly, "Read only.")) == "Read only.")
        let unknown = StoreError.Code(rawValue: "fromALaterVersion")
        #expect(advice(StoreError(unknown, "Later.")) == "Later.")
        #expect(StoreError.Code.storeBusy.coreDataCode == 134_090)
    }

    @Test func aMistakeOfARequestIsNamedInTheDetail() throws {
        let context = try Library.filled().viewContext
        var request = FetchRequest<Book>()
        request.predicate = try FetchPredicate("publisher == %@", "Gollancz")
        let error = try #require(throws: StoreError.self) { try context.fetch(request) }
        #expect(error.code == .invalidRequest)
        #expect(error.detail?.contains("unknownProperty") == true)
        #expect(throws: PredicateFormatError.self) { try FetchPredicate("pages >") }
        #expect(error.localizedDescription == error.description)
    }
}
