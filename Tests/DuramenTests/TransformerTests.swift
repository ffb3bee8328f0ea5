import Duramen
import DuramenSQLite
import Foundation
import StoreTestSupport
import Testing

/// Transformable attributes whose values are keyed archives.
@MainActor
@Suite struct TransformerTests {
    let folder = TemporaryFolder()

    private func model(_ transformer: String?) throws -> ManagedObjectModel {
        var tags = AttributeDescription.codable(
            [String]?.self, name: "tags", identifier: "[String]")
        tags.valueTransformerName = transformer
        return try ManagedObjectModel([EntityDescription(name: "Book", attributes: [tags])])
    }

    private func container(_ transformer: String?) throws -> PersistentContainer {
        try PersistentContainer.open(
            model: model(transformer), stores: [.sqlite(folder.file("books.sqlite"))])
    }

    private func book(in context: ManagedObjectContext) throws -> ManagedObject {
        try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
    }

    private func add(_ tags: [String], to container: PersistentContainer) throws {
        let model = container.persistentStoreCoordinator.managedObjectModel
        let context = container.viewContext
        let book = ManagedObject(
            entity: try #require(model.entity(named: "Book")), context: context)
        try book.setValue(tags, forKey: "tags")
        try context.save()
    }

    private let tags = ["a", "b"]
    private let archive = ArchivedValue.array([.string("a"), .string("b")])

    @Test func aNamedTransformerOfCoreDataKeepsAnArchive() throws {
        let container = try container("NSSecureUnarchiveFromData")
        try add(tags, to: container)
        container.viewContext.reset()
        let book = try book(in: container.viewContext)
        #expect(try book.storedValue(forKey: "tags") == .binary(try archive.archive()))
        #expect(try book.value(forKey: "tags") as? [String] == tags)
        let typed: [String]? = book.codable(at: 0)
        #expect(typed == tags)
    }

    @Test func bothFormsAreReadWhicheverTheModelNames() throws {
        let transformers: [(String?, String?)] = [
            (nil, "NSSecureUnarchiveFromData"), ("NSSecureUnarchiveFromData", nil),
        ]
        for (first, second) in transformers {
            let folder = TemporaryFolder()
            let store = PersistentStoreDescription.sqlite(folder.file("books.sqlite"))
            do {
                let container = try PersistentContainer.open(model: model(first), stores: [store])
                try add(tags, to: container)
                try container.close()
            }
            let container = try PersistentContainer.open(model: model(second), stores: [store])
            let book = try book(in: container.viewContext)
            let stored = try book.storedValue(forKey: "tags")
            #expect(try book.value(forKey: "tags") as? [String] == tags)
            let typed: [String]? = book.codable(at: 0)
            #expect(typed == tags)
            // The same value is no change, though it would have another form now.
            try book.setValue(tags, forKey: "tags")
            book.setCodable(tags, at: 0)
            #expect(!container.viewContext.hasChanges)
            book.setCodable(["c"], at: 0)
            try container.viewContext.save()
            let changed = try book.storedValue(forKey: "tags")
            #expect(isArchive(stored) != isArchive(changed))
            try container.close()
        }
    }

    private func isArchive(_ value: StoredValue) -> Bool {
        if case .binary(let data) = value { ArchivedValue.isArchive(data) } else { false }
    }

    @Test func anArchiveOfAnotherTypeIsAnErrorOfTheObject() throws {
        let container = try container("NSSecureUnarchiveFromData")
        try add(["a"], to: container)
        let book = try book(in: container.viewContext)
        let numbers: [Int]? = book.codable(at: 0)
        #expect(numbers == nil)
        #expect((book.faultError as? ContextError)?.code == .damagedValue)
    }
}
