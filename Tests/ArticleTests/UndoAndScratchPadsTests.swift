import Duramen
import DuramenMacros
import DuramenMemory
import Testing

enum UndoAndScratchPadsModel {
    // snippet: undo.register
    @MainActor
    final class ShelfView {
        private let undoManager: ContextUndoManager
        private(set) var sortKey = "title"

        init(_ undoManager: ContextUndoManager) { self.undoManager = undoManager }

        func sort(by key: String) {
            let old = sortKey
            sortKey = key
            undoManager.registerUndo(withTarget: self) { $0.sort(by: old) }
        }
    }
    // end

    // snippet: undo.sheet
    @MainActor
    final class BookSheet {
        let book: Book
        private let sheet: ManagedObjectContext

        init(editing id: ManagedObjectID, in context: ManagedObjectContext) throws {
            sheet = ManagedObjectContext(parent: context)
            sheet.undoManager = ContextUndoManager()
            book = try sheet.existingObject(with: id, as: Book.self)
        }

        func undo() throws { try sheet.undo() }
        func cancel() { sheet.rollback() }
        func save() throws { try sheet.save() }
    }
    // end
}

/// What the article UndoAndScratchPads says.
@MainActor struct UndoAndScratchPadsTests {
    private typealias BookSheet = UndoAndScratchPadsModel.BookSheet
    private typealias ShelfView = UndoAndScratchPadsModel.ShelfView

    private let container: PersistentContainer
    private let book: Book

    init() throws {
        container = try Library.filled()
        book = try container.viewContext.fetch(FetchRequest<Book>().sorted(by: \.pages))[0]
    }

    private func storedPages() throws -> Int? {
        let id = book.objectID
        return try container.newBackgroundContext().performAndWait { context in
            try context.fetch(FetchRequest<Book>()).first { $0.objectID == id }?.pages
        }
    }

    @Test func changesAreUndoneEventByEvent() throws {
        // snippet: undo.first
        let context = container.viewContext
        context.undoManager = ContextUndoManager()

        book.title = "Lathe of Heaven"
        book.pages = 186
        context.processPendingChanges()
        book.genre = .essay

        try context.undo()  // the genre
        try context.undo()  // the pages and the title
        try context.redo()
        // end
        #expect(book.genre == .novel && book.pages == 186 && book.title == "Lathe of Heaven")
        try context.undo()
        #expect(book.pages == 184 && !context.hasChanges)
    }

    @Test func groupsHaveNames() throws {
        let context = container.viewContext

        // snippet: undo.groups
        let undoManager = ContextUndoManager(levelsOfUndo: 50)
        context.undoManager = undoManager

        undoManager.beginUndoGrouping()
        undoManager.setActionName("Revise")
        book.pages = 186
        context.processPendingChanges()
        book.genre = .essay
        try undoManager.endUndoGrouping()

        let title = "Undo \(undoManager.undoActionName)"
        // end
        #expect(title == "Undo Revise" && undoManager.canUndo && !undoManager.canRedo)
        try context.undo()
        #expect(book.pages == 184 && book.genre == .novel && undoManager.canRedo)
        #expect(undoManager.redoActionName == "Revise")
        book.pages = 1
        #expect(!undoManager.canRedo)
    }

    @Test func actionsOfTheApplicationAreUndoneInTheirOrder() throws {
        let context = container.viewContext
        let undoManager = ContextUndoManager()
        context.undoManager = undoManager
        let view = ShelfView(undoManager)
        view.sort(by: "pages")
        context.processPendingChanges()
        try context.undo()
        #expect(view.sortKey == "title")
        try context.redo()
        #expect(view.sortKey == "pages")
    }

    @Test func someChangesAreNoSteps() throws {
        let context = container.viewContext
        let undoManager = ContextUndoManager()
        context.undoManager = undoManager

        // snippet: undo.without
        undoManager.withoutUndoRegistration {
            book.pages = 190
        }
        // end

        #expect(book.pages == 190 && !undoManager.canUndo)
        book.genre = .poetry
        #expect(undoManager.canUndo)
        undoManager.removeAllActions()
        #expect(!undoManager.canUndo)
        context.rollback()
        #expect(book.pages == 184)
    }

    @Test func aDeletionIsUndoneAfterItsSave() throws {
        let context = container.viewContext
        let author = try #require(book.author)
        let id = author.objectID

        // snippet: undo.deletion
        context.undoManager = ContextUndoManager()
        context.delete(author)
        try context.save()  // the books of the author are deleted too

        try context.undo()
        try context.save()
        // end

        #expect(try context.existingObject(with: id, as: Author.self).books.count == 3)
        #expect(try context.count(for: FetchRequest<Book>()) == 3)
    }

    @Test func rollbackForgetsAllSteps() throws {
        let context = container.viewContext
        let undoManager = ContextUndoManager()
        context.undoManager = undoManager
        book.pages = 1
        context.processPendingChanges()
        context.rollback()
        #expect(!undoManager.canUndo && book.pages == 184)
    }

    @Test func othersSavesStayWhenAStepIsUndone() async throws {
        let context = container.viewContext
        context.undoManager = ContextUndoManager()
        book.pages = 186
        try context.save()
        let id = book.objectID
        try await container.performBackgroundTask { context in
            try context.existingObject(with: id, as: Book.self).title = "Lathe"
            try context.save()
        }
        try context.undo()
        #expect(book.pages == 184 && book.title == "Lathe")
    }

    @Test func aSheetIsDiscardedOrSaved() throws {
        let context = container.viewContext

        // snippet: undo.sheets
        let discarded = try BookSheet(editing: book.objectID, in: context)
        discarded.book.pages = 1
        discarded.cancel()

        let saved = try BookSheet(editing: book.objectID, in: context)
        saved.book.pages = 286
        try saved.save()
        // end

        #expect(saved.book.pages == 286 && book.pages == 286 && book.isUpdated)
        #expect(try storedPages() == 184)
        context.rollback()
        #expect(book.pages == 184)
        let sheet = try BookSheet(editing: book.objectID, in: context)
        sheet.book.pages = 2
        try sheet.undo()
        #expect(sheet.book.pages == 184)
        sheet.book.pages = 287
        try sheet.save()
        try context.save()
        #expect(try storedPages() == 287)
    }

    @Test func aDiscardedChildLeavesNothing() throws {
        do {
            let sheet = ManagedObjectContext(parent: container.viewContext)
            try sheet.existingObject(with: book.objectID, as: Book.self).pages = 1
            sheet.delete(try sheet.fetch(FetchRequest<Author>())[0])
        }
        #expect(book.pages == 184 && !container.viewContext.hasChanges)
    }

    @Test func aChildFollowsItsParent() throws {
        let context = container.viewContext
        let sheet = ManagedObjectContext(parent: context)
        let draft = try sheet.existingObject(with: book.objectID, as: Book.self)
        draft.title = "Lathe"
        book.pages = 186
        context.processPendingChanges()
        #expect(draft.pages == 186 && draft.title == "Lathe")
        let new = Book(context: context)
        new.isbn = "5"
        #expect(try sheet.count(for: FetchRequest<Book>()) == 4)
    }

    @Test func aDeletedObjectMakesTheSheetThrow() throws {
        let context = container.viewContext
        let sheet = try BookSheet(editing: book.objectID, in: context)
        sheet.book.pages = 186
        context.delete(book)
        let error = #expect(throws: SaveConflictError.self) { try sheet.save() }
        #expect(error?.conflicts.map(\.objectID) == [book.objectID])
        sheet.cancel()
    }

    @Test func uniqueValuesAreComparedBefore() throws {
        // snippet: undo.unique
        let sheet = ManagedObjectContext(parent: container.viewContext)
        let draft = Book(context: sheet)
        draft.isbn = "1"
        draft.title = "Solaris"

        for conflict in try sheet.uniquenessConflicts() {
            print(conflict.kind)
        }
        // end
        let conflicts = try sheet.uniquenessConflicts()
        #expect(conflicts.map(\.objectID) == [draft.objectID])
        // The child does not compare them by itself.
        try sheet.save()
        let error = #expect(throws: SaveConflictError.self) { try container.viewContext.save() }
        #expect(error?.conflicts.count == 1)
    }

    @Test func aSaveOfAChildIsOneStepOfItsParent() throws {
        let context = container.viewContext
        context.undoManager = ContextUndoManager()
        let sheet = try BookSheet(editing: book.objectID, in: context)
        sheet.book.pages = 186
        sheet.book.genre = .essay
        try sheet.save()
        #expect(book.pages == 186)
        try context.undo()
        #expect(book.pages == 184 && book.genre == .novel)
    }

    @Test func aBackgroundContextHasChildrenToo() async throws {
        let id = book.objectID

        // snippet: undo.background
        let background = container.newBackgroundContext()
        let sheet = await background.newChildContext(ContextOptions(name: "sheet"))
        try await sheet.perform { context in
            try context.existingObject(with: id, as: Book.self).pages = 186
            try context.save()
        }
        try await background.perform { try $0.save() }
        // end
        #expect(book.pages == 186)
    }
}
