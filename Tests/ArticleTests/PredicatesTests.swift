import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

/// What the article says of everyday predicates.
@MainActor struct PredicatesTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let lem: Author

    /// Five books: two of Lem, one of Le Guin, and two without an author.
    init() throws {
        container = try Library.container()
        context = container.viewContext
        lem = Author(context: context)
        lem.name = "Stanisław Lem"
        let leGuin = Author(context: context)
        leGuin.name = "Ursula K. Le Guin"
        for (isbn, title, pages, year, author) in [
            ("1", "Solaris", 204, 1961, lem), ("2", "Éden", 276, 1959, lem),
            ("3", "The Dispossessed", 341, 1974, leGuin), ("4", "Part 9", 120, nil, nil),
            ("5", "part 10", 0, nil, nil),
        ] as [(String, String, Int, Int?, Author?)] {
            let book = Book(context: context)
            (book.isbn, book.title, book.pages, book.author) = (isbn, title, pages, author)
            book.published = year.map { Self.date($0) }
        }
        try context.save()
    }

    private static func date(_ year: Int) -> Date {
        Date(timeIntervalSince1970: Double(year - 1970) * 365.25 * 86_400)
    }

    private func titles(_ request: FetchRequest<Book>) throws -> [String] {
        try context.fetch(request).map(\.title).sorted()
    }

    @Test func aClosureIsACondition() throws {
        // snippet: predicates.closure
        let request = FetchRequest<Book>()
            .where { $0.pages > 200 && $0.author.name.contains("Lem") }
            .sorted(by: \.title)
        let books = try context.fetch(request)
        // end
        #expect(books.map(\.title) == ["Solaris", "Éden"])
    }

    @Test func conditionsAreCombined() throws {
        let minimum: Int? = 300
        let word: String? = nil
        // snippet: predicates.combined
        let short = FetchPredicate(Book.self) { $0.pages < 150 }
        let anonymous = FetchPredicate(Book.self) { $0.author == nil }

        var request = FetchRequest<Book>().where(!(short && anonymous))
        if let minimum { request = request.where { $0.pages >= minimum } }
        if let word { request = request.where { $0.title.contains(word) } }
        // end
        #expect(try titles(request) == ["The Dispossessed"])
        #expect(try titles(FetchRequest<Book>().where(short || !anonymous)).count == 5)
    }

    @Test func textIsCompared() throws {
        let typed = "eden"
        // snippet: predicates.text
        let loose: PredicateComparison.Options = [.caseInsensitive, .diacriticInsensitive]
        let found = FetchRequest<Book>().where { $0.title.contains(typed, loose) }
        let parts = FetchRequest<Book>().where { $0.title.like("part *", .caseInsensitive) }
        let numbered = FetchRequest<Book>().where { $0.title.matches("[Pp]art [0-9]+") }
        // end
        #expect(try titles(found) == ["Éden"])
        #expect(try titles(parts) == ["Part 9", "part 10"])
        #expect(try titles(numbered) == ["Part 9", "part 10"])
        #expect(try titles(FetchRequest<Book>().where { $0.title.beginsWith("p") }).count == 1)
        #expect(try titles(FetchRequest<Book>().where { $0.title.endsWith("10") }).count == 1)
        #expect(try titles(FetchRequest<Book>().where { $0.title.length > 10 }).count == 1)
        #expect(try titles(FetchRequest<Book>().where { $0.title == "Eden" }).isEmpty)
        #expect(
            try titles(FetchRequest<Book>().where { $0.title.isEqual(to: "EDEN", loose) }).count
                == 1)
    }

    @Test func nilIsCompared() throws {
        // snippet: predicates.nil
        let undated = FetchRequest<Book>().where { $0.published == nil }
        let late = FetchRequest<Book>().where { $0.published > Date(timeIntervalSince1970: 0) }
        let notLate = FetchRequest<Book>().where {
            !($0.published > Date(timeIntervalSince1970: 0))
        }
        // end
        #expect(try titles(undated).count == 2 && titles(late) == ["The Dispossessed"])
        #expect(try titles(notLate) == ["Part 9", "Solaris", "part 10", "Éden"].sorted())
        // The opposite of equality has the objects without a value.
        let other = FetchRequest<Book>().where { $0.author.name != "Stanisław Lem" }
        #expect(try titles(other).count == 3)
        let filled = FetchRequest<Book>().where {
            $0.published.replacingNil(with: .distantFuture) < .now
        }
        #expect(try titles(filled).count == 3)
    }

    @Test func rangesAndListsAreAsked() throws {
        // snippet: predicates.ranges
        let medium = FetchRequest<Book>().where { $0.pages.isIn(200..<300) }
        let chosen = FetchRequest<Book>().where { $0.isbn.isIn(["1", "3"]) }
        let essays = FetchRequest<Book>().where { $0.genre == .essay || $0.genre == .poetry }
        let odd = FetchRequest<Book>().where { $0.pages % 2 == 1 }
        // end
        #expect(try titles(medium) == ["Solaris", "Éden"])
        #expect(try titles(chosen) == ["Solaris", "The Dispossessed"])
        #expect(try titles(essays).isEmpty && titles(odd) == ["The Dispossessed"])
    }

    @Test func datesAreCompared() throws {
        let (start, end) = (Self.date(1960), Self.date(1970))
        // snippet: predicates.dates
        let sixties = FetchRequest<Book>().where { $0.published.isIn(start..<end) }
        let recent = FetchRequest<Book>().where {
            $0.published > QueryExpression.fetchTime - 604_800
        }
        // end
        #expect(try titles(sixties) == ["Solaris"] && titles(recent).isEmpty)
        let new = Book(context: context)
        (new.isbn, new.title, new.published) = ("6", "New", .now)
        #expect(try titles(recent) == ["New"])
    }

    @Test func relatedObjectsAreAsked() throws {
        // snippet: predicates.to-one
        let byName = FetchRequest<Book>().where { $0.author.name == "Stanisław Lem" }
        let byObject = FetchRequest<Book>().where { $0.author == lem }
        let byID = FetchRequest<Book>().where { $0.author == lem.objectID }
        let withAuthor = FetchRequest<Book>().where { $0.author != nil }
        // end
        for request in [byName, byObject, byID] {
            #expect(try titles(request) == ["Solaris", "Éden"])
        }
        #expect(try titles(withAuthor).count == 3)
        #expect(try titles(FetchRequest<Book>().where { $0.author.isIn([lem]) }).count == 2)
    }

    @Test func membersAreAsked() throws {
        // snippet: predicates.to-many
        let long = FetchRequest<Author>().where { $0.books.any { $0.pages > 300 } }
        let short = FetchRequest<Author>().where { $0.books.all { $0.pages < 300 } }
        let none = FetchRequest<Author>().where { $0.books.none { $0.title == "Solaris" } }
        let busy = FetchRequest<Author>().where { $0.books.count > 1 }
        let idle = FetchRequest<Author>().where { $0.books.isEmpty }
        let thick = FetchRequest<Author>().where { $0.books.sum(\.pages) > 400 }
        let two = FetchRequest<Author>().where { $0.books.count { $0.pages > 200 } == 2 }
        // end
        func names(_ request: FetchRequest<Author>) throws -> [String] {
            try context.fetch(request.sorted(by: \.name)).map { String($0.name.prefix(1)) }
        }
        #expect(try names(long) == ["U"] && names(short) == ["S"] && names(none) == ["U"])
        #expect(try names(busy) == ["S"] && names(idle) == [] && names(thick) == ["S"])
        #expect(try names(two) == ["S"])
        let prolific = Author(context: context)
        prolific.name = "Nobody"
        #expect(try names(short) == ["N", "S"] && names(idle) == ["N"])
    }

    @Test func innerClosuresSpeakOfBoth() throws {
        // snippet: predicates.nested
        let alone = FetchRequest<Book>().where { book in
            book.author.books.none { other in other.pages > book.pages }
        }
        // end
        #expect(try titles(alone) == ["Part 9", "The Dispossessed", "part 10", "Éden"].sorted())
    }

    @Test func resultsAreSorted() throws {
        // snippet: predicates.sort
        let request = FetchRequest<Book>()
            .sorted(by: "author.name")
            .sorted(by: \.pages, .descending)
            .sorted(by: FetchSortDescriptor(\Book.title, comparison: .localizedStandard))
        // end
        #expect(
            try context.fetch(request).map(\.title)
                == ["Part 9", "part 10", "Éden", "Solaris", "The Dispossessed"])
        let natural = FetchRequest<Book>().where { $0.author == nil }
            .sorted(by: FetchSortDescriptor(\Book.title, comparison: .localizedStandard))
        #expect(try context.fetch(natural).map(\.title) == ["Part 9", "part 10"])
        let letters = FetchRequest<Book>().where { $0.author == nil }
            .sorted(by: FetchSortDescriptor(\Book.title, comparison: .localized))
        #expect(try context.fetch(letters).map(\.title) == ["part 10", "Part 9"])
        let typed = FetchSortDescriptor(Book.self) { $0.author.name }
        #expect(typed == FetchSortDescriptor("author.name"))
        let counted = FetchSortDescriptor(Author.self, ascending: false) { $0.books.count }
        #expect(try context.fetch(FetchRequest<Author>().sorted(by: counted)).first == lem)
    }

    @Test func formatStringsAreRead() throws {
        let text = "PART"
        // snippet: predicates.format
        let predicate = try FetchPredicate(
            "title CONTAINS[cd] %@ AND %K >= %@ AND author == nil", text, "pages", 100)
        let found = try context.fetch(FetchRequest<Book>().where(predicate))
        // end
        #expect(found.map(\.title) == ["Part 9"])
        // snippet: predicates.variables
        let template = try FetchPredicate("pages >= $LEAST AND author.name == $NAME")
        let filled = try template.withSubstitutionVariables(["LEAST": 200, "NAME": lem.name])
        // end
        #expect(try titles(FetchRequest<Book>().where(filled)) == ["Solaris", "Éden"])
        #expect(throws: PredicateFormatError.self) {
            try template.withSubstitutionVariables(["LEAST": 200])
        }
    }

    @Test func aMistakeHasAPlace() throws {
        var lines: [String] = []
        func print(_ item: Any) { lines.append("\(item)") }
        // snippet: predicates.mistake
        do {
            _ = try FetchPredicate("pages > 200 AND isbn IN ('1', '2')")
        } catch {
            print(error)
        }
        // end
        let output = try Article.named("Predicates").output("predicates.mistake")
        #expect(lines.joined(separator: "\n") == output)
        let unknown = FetchRequest<Book>().where(try FetchPredicate("colour == 'red'"))
        let error = #expect(throws: StoreError.self) { try context.fetch(unknown) }
        #expect(error?.code == .invalidRequest && error?.detail == "unknownProperty")
    }

    @Test func foundationsPredicatesAreConverted() throws {
        // snippet: predicates.foundation
        let predicate = #Predicate<Book> { $0.pages > 200 && $0.author?.name == "Stanisław Lem" }
        let request = FetchRequest<Book>().where(try FetchPredicate(predicate))
        // end
        #expect(try titles(request) == ["Solaris", "Éden"])
        #expect(
            try FetchPredicate(predicate)
                == FetchPredicate("pages > 200 AND author.name == 'Stanisław Lem'"))
    }

    @Test func keyPathsMayBeText() throws {
        // snippet: predicates.run-time
        let key = "author.name"
        let request = FetchRequest<Book>().where { book in
            .keyPath(key, .equal, "Stanisław Lem") && book.pages > 250
        }
        // end
        #expect(try titles(request) == ["Éden"])
    }
}
