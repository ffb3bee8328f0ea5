import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

/// What the articles say of conflicts.
@MainActor struct ArticleConflictTests {
    @Test func aConflictIsResolvedByHand() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let book = try context.fetch(FetchRequest<Book>())[0]
        try container.newBackgroundContext().performAndWait { other in
            try other.fetch(FetchRequest<Book>())[0].pages = 190
            try other.save()
        }
        book.pages = 200

        do {
            try context.save()
        } catch let error as SaveConflictError {
            try context.resolve(error, using: .overwrite)
            try context.save()
        }

        #expect(book.pages == 200 && !context.hasChanges)
        try container.newBackgroundContext().performAndWait { other in
            let stored = try other.fetch(FetchRequest<Book>())[0].pages
            #expect(stored == 200)
        }
    }

    @Test func withoutAPolicyASaveThrowsItsConflicts() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let book = try context.fetch(FetchRequest<Book>())[0]
        try container.newBackgroundContext().performAndWait { other in
            try other.fetch(FetchRequest<Book>())[0].pages = 190
            try other.save()
        }
        book.pages = 200
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts[0].stored?["pages"] == .integer(190))
        #expect(context.hasChanges)
    }

    @Test func aClosureResolvesConflicts() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let book = try context.fetch(FetchRequest<Book>())[0]
        try container.newBackgroundContext().performAndWait { other in
            try other.fetch(FetchRequest<Book>())[0].pages += 10
            try other.save()
        }
        book.pages += 1

        context.mergePolicy = .custom { conflict in
            guard let base = conflict.base?[\Book.pages], let mine = conflict.mine?[\Book.pages],
                let stored = conflict.stored?[\Book.pages]
            else { return .fail }
            // Both sides added pages.
            let settled = ConflictResolution.policy(.mergeByPropertyObjectTrump)
            return settled.setting(\Book.pages, to: stored + mine - base)
        }

        try context.save()
        #expect(book.pages == 195)
    }
}
