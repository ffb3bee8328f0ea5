import DocumentationSupport
import Duramen
import DuramenLMDB
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import DuramenStore
import Foundation
import Testing

/// The versions of the article's model.
enum ChangingModel {
    enum First {
        @Managed
        final class Book: ManagedObject {
            var title: String
            var sub: String?
            var remark: String?
        }
    }

    enum Second {
        // snippet: changing.version
        @Managed
        final class Book: ManagedObject {
            var title: String
            // New: old books have 0.
            var pages: Int = 0
            // Renamed: values are kept.
            @Attribute(originalName: "sub") var subtitle: String?
        }
        // end
    }

    enum Third {
        // snippet: changing.undecided
        @Managed
        final class Book: ManagedObject {
            var title: String
            var subtitle: String?
            var pages: Int
        }
        // end
    }

    /// A store in which a book of the first version is saved.
    @MainActor static func begun(_ description: PersistentStoreDescription) throws {
        let container = try PersistentContainer.open(
            model: ManagedObjectModel(First.Book.self), stores: [description])
        let book = First.Book(context: container.viewContext)
        (book.title, book.sub, book.remark) = ("Walden", "Life in the Woods", "lent")
        try container.viewContext.save()
        try container.close()
    }

    enum Pens {
        enum First {
            @Managed
            final class Pencil: ManagedObject { var color: String = "" }
        }

        enum Third {
            @Managed(renamedFrom: "Pencil")
            final class Pen: ManagedObject {
                @Attribute(originalName: "color") var tint: String = ""
            }
        }
    }
}

/// What the article says of changing a model.
@MainActor struct ChangingTheModelTests {
    private let folder: ArticleFolder
    private let path: String
    private let library: PersistentStoreDescription

    init() throws {
        folder = try ArticleFolder()
        path = folder.file("library.sqlite")
        library = .sqlite(path)
        try ChangingModel.begun(library)
    }

    @Test func openingAStoreChangesIt() async throws {
        typealias Book = ChangingModel.Second.Book
        // snippet: changing.open
        let container = try await PersistentContainer(
            model: ManagedObjectModel(Book.self), stores: [.sqlite(path)])
        // end
        let books = try container.viewContext.fetch(FetchRequest<Book>())
        #expect(books.map(\.title) == ["Walden"] && books.map(\.pages) == [0])
        #expect(books.map(\.subtitle) == ["Life in the Woods"])
        #expect(library.migrationBackups.isEmpty)
        try container.close()
    }

    @Test func aRenamedPropertyIsFoundAcrossVersions() throws {
        let store = PersistentStoreDescription.memory(UUID().uuidString)
        defer { try? store.destroyStore() }
        let old = try PersistentContainer.open(
            model: ManagedObjectModel(ChangingModel.Pens.First.Pencil.self), stores: [store])
        let pencil = ChangingModel.Pens.First.Pencil(context: old.viewContext)
        pencil.color = "red"
        try old.viewContext.save()
        let uri = pencil.objectID.uriRepresentation
        try old.close()
        let new = try PersistentContainer.open(
            model: ManagedObjectModel(ChangingModel.Pens.Third.Pen.self), stores: [store])
        let pens = try new.viewContext.fetch(FetchRequest<ChangingModel.Pens.Third.Pen>())
        #expect(pens.map(\.tint) == ["red"])
        #expect(
            new.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri)
                == pens[0].objectID)
        try new.close()
    }

    @Test func aPlanSaysWhatAnOpeningWouldDo() throws {
        typealias Book = ChangingModel.Third.Book
        let model = try ManagedObjectModel(Book.self)
        // snippet: changing.plan
        let plan = try MigrationPlanner(model: model).plan(for: library)
        print(plan)
        // end
        let shown = try Article.named("ChangingTheModel").output("changing.plan")
        #expect(plan.description.replacing(path, with: "library.sqlite") == shown)
        #expect(plan.hops.count == 1 && plan.losses.map(\.name) == ["Book.remark", "Book.sub"])
        let error = #expect(throws: StoreError.self) { try library.open(model: model) }
        #expect(error?.code == .notInferable)
        let refused = #expect(throws: StoreError.self) {
            try library.withoutMigration().open(
                model: ManagedObjectModel(ChangingModel.Second.Book.self))
        }
        #expect(refused?.code == .migrationRequired)
    }

    @Test func aPolicyDecides() throws {
        typealias Book = ChangingModel.Third.Book
        let model = try ManagedObjectModel(Book.self)
        // snippet: changing.policy
        var policy = MigrationPolicy()
        // Old books get a value for the mandatory attribute.
        policy.fills["Book.pages"] = .integer(100)
        // The new subtitle is not the old sub.
        policy.notRenamed = ["Book.subtitle"]
        let description = library.migrating(policy)
        // end
        let container = try PersistentContainer.open(model: model, stores: [description])
        let books = try container.viewContext.fetch(FetchRequest<Book>())
        #expect(books.map(\.pages) == [100] && books.map(\.subtitle) == [nil])
        try container.close()
    }

    @Test func aPolicyCanForbidLosses() throws {
        var policy = MigrationPolicy()
        policy.loss = .none
        let error = #expect(throws: StoreError.self) {
            try library.migrating(policy).open(
                model: ManagedObjectModel(ChangingModel.Second.Book.self))
        }
        #expect(error?.code == .notInferable)
        #expect(error?.message.contains("Book.remark") == true)
    }

    @Test func aTrialChangesACopy() throws {
        let model = try ManagedObjectModel(ChangingModel.Second.Book.self)
        // snippet: changing.trial
        let plan = try MigrationPlanner(model: model).plan(for: library)
        let survey = try MigrationSurvey(of: plan)
        for (change, count) in survey.losses { print(change.name, "loses", count) }
        print(survey.estimate.seconds, "seconds,", survey.estimate.bytes, "bytes")

        let trial = try plan.dryRun()
        print(trial.seconds, "seconds,", trial.rows["Book"] ?? 0, "books")
        // end
        #expect(survey.losses.map(\.key.name) == ["Book.remark"])
        #expect(survey.losses.map(\.value) == [1] && survey.rows == ["Book": 1])
        #expect(trial.rows == ["Book": 1])
        // The store is as it was.
        try library.withoutMigration()
            .open(model: ManagedObjectModel(ChangingModel.First.Book.self)).close()
    }

    @Test func aCopyIsKeptAndPutBack() throws {
        let old = try ManagedObjectModel(ChangingModel.First.Book.self)
        let new = try ManagedObjectModel(ChangingModel.Second.Book.self)
        // snippet: changing.backup
        var policy = MigrationPolicy()
        policy.backup = .always
        try library.migrating(policy).open(model: new).close()
        // end
        let error = #expect(throws: StoreError.self) { try library.open(model: old) }
        #expect(error?.code == .storeIsNewer)
        let name = try #require(library.migrationBackups.first?.location)
        #expect(name.hasPrefix(folder.file("library.before-")) && name.hasSuffix(".sqlite"))
        // snippet: changing.back
        if let copy = library.migrationBackups.first {
            try library.replaceStore(with: copy)
        }
        // end
        let container = try PersistentContainer.open(model: old, stores: [library])
        let books = try container.viewContext.fetch(FetchRequest<ChangingModel.First.Book>())
        #expect(books.map(\.remark) == ["lent"])
        try container.close()
    }

    @Test func theModelIsFrozen() throws {
        typealias Book = ChangingModel.Second.Book
        let models = folder.file("Models")
        let first = try ManagedObjectModel(ChangingModel.First.Book.self)
        try FrozenModels.freeze(first, as: "1.0", in: models)
        let error = #expect(throws: FrozenModelError.self) {
            try FrozenModels(models).verify(ManagedObjectModel(Book.self))
        }
        #expect(error?.code == .notFrozen)
        #expect(error?.message.contains("Book.pages: attribute added") == true)
        // snippet: changing.freeze
        let model = try ManagedObjectModel(Book.self)
        try FrozenModels.freeze(model, as: "1.1", in: models)
        // end
        // snippet: changing.frozen
        try FrozenModels(models).verify(ManagedObjectModel(Book.self))
        // end
        let again = #expect(throws: FrozenModelError.self) {
            try FrozenModels.freeze(first, as: "1.1", in: models)
        }
        #expect(again?.code == .nameTaken)
    }

    @Test func workThatWasLeftForLaterIsDone() async throws {
        typealias Book = ChangingModel.Second.Book
        let store = PersistentStoreDescription.lmdb(folder.file("library.lmdb"))
        try ChangingModel.begun(store)
        let model = try ManagedObjectModel(Book.self)
        let container = try await PersistentContainer(model: model, stores: [store])
        // snippet: changing.deferred
        try container.persistentStoreCoordinator.finishDeferredLightweightMigration()
        // end
        try container.close()
        let opened = try #require(try store.open(model: model) as? any SchemaMigratingStore)
        #expect(try opened.finishMigration(cancellation: nil) == 0)
        try opened.close()
    }

    @Test func aStoreNotesItsMigrations() throws {
        let model = try ManagedObjectModel(ChangingModel.Second.Book.self)
        try library.open(model: model).close()
        let records = try library.type.metadata(of: library).migrations
        #expect(records.map(\.target) == [model.versionChecksum])
    }
}
