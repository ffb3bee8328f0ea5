import Duramen
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Reports about versions: which one a store has, where its model comes from, and what it costs to
/// reach the next one. Names begin with the number of the report.
@Suite struct ReportedMigrationVersionTests {
    static let kinds = StoreKind.allCases

    private func book(
        _ attributes: [AttributeDescription], modifier: String? = nil,
        indexes: [IndexDescription] = [], identifiers: [String] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            [
                EntityDescription(
                    name: "Book", versionHashModifier: modifier, attributes: attributes,
                    indexes: indexes)
            ], versionIdentifiers: identifiers)
    }

    private func filled(
        _ kind: StoreKind, _ model: ManagedObjectModel, _ titles: [String?] = ["a", nil, "c"]
    ) throws -> VersionedStore {
        let store = VersionedStore(kind)
        try store.open(model) { (context) throws in
            for title in titles {
                _ = context.insert("Book", ["title": title])
                try context.save()
            }
        }
        return store
    }

    private let titles: [Int64: StoredValue] = [1: .text("a"), 2: .null, 3: .text("c")]

    // MARK: - B5

    @Test(
        "B5: An entity that goes while its like comes is refused until somebody says which it is",
        arguments: kinds)
    func b5AnEntityThatMayHaveBeenRenamedIsRefused(kind: StoreKind) throws {
        func model(_ name: String, was: String? = nil) throws -> ManagedObjectModel {
            try ManagedObjectModel([
                EntityDescription(name: "Author", attributes: [.text("name")]),
                EntityDescription(
                    name: name, renamingIdentifier: was,
                    attributes: [
                        .text("title"), AttributeDescription("pages", .integer32, isOptional: true),
                    ]),
            ])
        }
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        let old = try model("Book")
        try store.open(old) { (context) throws in
            _ = context.insert("Book", ["title": "a", "pages": 7])
            _ = context.insert("Author", ["name": "b"])
            try context.save()
        }
        let moved = try model("LibraryBook")
        #expect(try store.plan(moved).refusals.contains { $0.contains("LibraryBook") })
        #expect(try store.refusal(moved).code == .notInferable)
        let named = try model("LibraryBook", was: "Book")
        let titles = try store.open(named) { try $0.values("title", of: "LibraryBook") }
        #expect(titles == [1: .text("a")])
    }

    // MARK: - B14

    @Test(
        "B14: A program that never had the old version migrates from the store's own model",
        arguments: kinds)
    func b14TheStoreHasTheModelOfItsSource(kind: StoreKind) throws {
        let first = try book([
            .text("title"), AttributeDescription("pages", .integer16, isOptional: true),
        ])
        let store = try filled(kind, first)
        defer { store.cleanUp() }
        #expect(try store.keptModel.archived() == first.archived())

        let third = try ManagedObjectModel([
            EntityDescription(
                name: "Volume", renamingIdentifier: "Book",
                attributes: [
                    .text("label", was: "title"),
                    AttributeDescription("pages", .integer32, default: .integer(5)),
                ])
        ])
        try store.open(third) { (context) throws in
            #expect(try context.values("label", of: "Volume") == titles)
            #expect(
                try context.values("pages", of: "Volume")
                    == [1: .integer(5), 2: .integer(5), 3: .integer(5)])
        }
        #expect(try store.keptModel.archived() == third.archived())
        let migrations = try store.metadata.migrations
        #expect(migrations.map(\.source) == [first.versionChecksum])
        #expect(migrations.map(\.target) == [third.versionChecksum])
    }

    @Test("B14: A store is opened without any model in the program", arguments: kinds)
    func b14AStoreIsOpenedByItsOwnModel(kind: StoreKind) throws {
        let store = try filled(kind, book([.text("title")]))
        defer { store.cleanUp() }
        let container = try PersistentContainer.open(modelOf: store.description)
        #expect(try container.makeContext().values("title", of: "Book") == titles)
        try container.close()
    }

    @Test("B14: A store of a merged model is found when one part changes", arguments: kinds)
    func b14APartOfAMergedModelChanges(kind: StoreKind) throws {
        func merged(_ parts: [[EntityDescription]]) throws -> ManagedObjectModel {
            try ManagedObjectModel(parts.flatMap(\.self))
        }
        let library = [EntityDescription(name: "Setting", attributes: [.text("key")])]
        let application = [EntityDescription(name: "Book", attributes: [.text("title")])]
        let store = try filled(kind, merged([library, application]))
        defer { store.cleanUp() }
        try store.open(merged([library, application])) { (context) throws in
            _ = context.insert("Setting", ["key": "k"])
            try context.save()
        }
        var later = library
        later[0].attributes.append(.text("value"))
        // The parts come in any order.
        try store.open(merged([application, later])) { (context) throws in
            #expect(try context.values("title", of: "Book") == titles)
            #expect(try context.values("key", of: "Setting") == [1: .text("k")])
            #expect(try context.values("value", of: "Setting") == [1: .null])
        }
    }

    // MARK: - B20

    @Test("B20: A hop of a hash modifier alone writes no row", arguments: kinds)
    func b20AHashModifierTouchesNoRow(kind: StoreKind) throws {
        func contents(_ model: ManagedObjectModel) throws -> StoreContents {
            let open = try store.description.open(model: model)
            defer { try? open.close() }
            return try StoreContents(reading: open.snapshot(), of: open)
        }
        let store = try filled(kind, book([.text("title")]))
        defer { store.cleanUp() }
        var before = try contents(book([.text("title")]))
        #expect(before.records.count == 3)
        for modifier in ["2", "3"] {
            let next = try book([.text("title")], modifier: modifier)
            // Versions of rows are among the contents. Memory writes all rows anew.
            let after = try contents(next)
            if kind == .memory {
                #expect(after.records.mapValues(\.values) == before.records.mapValues(\.values))
                before = after
            }
            #expect(after == before)
            #expect(try store.metadata.modelChecksum == next.versionChecksum)
        }
        #expect(try store.metadata.migrations.count == 2)
    }

    @Test(
        "B20: An index that comes with a hash modifier is there, and changes no answer",
        arguments: kinds)
    func b20AnIndexAndAHashModifierComeTogether(kind: StoreKind) throws {
        let store = try filled(kind, book([.text("title")]), ["b", "a", nil, "c"])
        defer { store.cleanUp() }
        let next = try book(
            [.text("title")], modifier: "2", indexes: [IndexDescription("title")])
        for _ in 0..<2 {
            try store.open(next) { (context) throws in
                let request = FetchRequest<ManagedObject>.all("Book").sorted(
                    by: "title", .ascending)
                #expect(try context.fetch(request).map(\.objectID.key) == [3, 2, 1, 4])
            }
        }
        #expect(try store.metadata.migrations.count == 1)
    }

    // MARK: - B21

    @Test(
        "B21: An earlier program names the version of the store and leaves it as it is",
        arguments: kinds)
    func b21AnEarlierVersionLeavesTheStoreAsItIs(kind: StoreKind) throws {
        let old = try book([.text("title")], identifiers: ["1.0"])
        let new = try book([.text("title"), .text("note")], identifiers: ["2.0"])
        let store = try filled(kind, old)
        defer { store.cleanUp() }
        try store.open(new) { _ in }
        let (before, metadata) = (try store.checksums(new), try store.metadata)
        let error = try store.refusal(old)
        #expect(error.code == .storeIsNewer)
        #expect(error.message.contains("to 2.0 at"))
        #expect(error.message.contains("'\(HistoryOrigin.bundleID)' migrated"))
        #expect(error.message.contains(store.description.location))
        // Nothing that an earlier program is allowed goes back.
        #expect(try store.refusal(old) { $0.loss = .all }.code == .storeIsNewer)
        #expect(try store.checksums(new) == before)
        #expect(try store.metadata == metadata)
    }

    // MARK: - B32

    @Test("B32: Two versions with one number are two versions", arguments: kinds)
    func b32VersionsAreToldApartByWhatTheySay(kind: StoreKind) throws {
        let first = try book([.text("title")], identifiers: ["1"])
        let second = try book([.text("title"), .text("note")], identifiers: ["2"])
        let other = try book([.text("title"), .text("remark", was: "note")], identifiers: ["2"])
        let store = try filled(kind, first)
        defer { store.cleanUp() }
        try store.open(second) { try $0.setAll("note", "n") }
        try store.open(other) { (context) throws in
            let texts = Array(try context.values("remark", of: "Book").values)
            #expect(texts == [.text("n"), .text("n"), .text("n")])
        }
        let migrations = try store.metadata.migrations
        #expect(migrations.map(\.source) == [first.versionChecksum, second.versionChecksum])
        #expect(migrations.map(\.target) == [second.versionChecksum, other.versionChecksum])
    }

    @Test("B32: A version with another number alone is no other version", arguments: kinds)
    func b32ANumberAloneIsNoHop(kind: StoreKind) throws {
        let store = try filled(kind, book([.text("title")], identifiers: ["1"]))
        defer { store.cleanUp() }
        let renumbered = try book([.text("title")], identifiers: ["7"])
        let found = try store.openUnchanged(renumbered) { try $0.values("title", of: "Book") }
        #expect(found == titles)
        #expect(try store.metadata.migrations == [])
        let identifiers = try store.metadata.modelVersionIdentifiers
        #expect(identifiers == ["7"])
    }

    @Test(
        "B32: A migration that fails at its end leaves no trace in the bookkeeping",
        arguments: kinds)
    func b32BookkeepingBelongsToTheMigration(kind: StoreKind) throws {
        let old = try book([.text("title")])
        let store = try filled(kind, old, ["a", "a"])
        defer { store.cleanUp() }
        try store.open(old) { try $0.setAll("title", "a") }
        let metadata = try store.metadata
        // Rows are rewritten and columns made before the constraint is looked at.
        let new = try ManagedObjectModel([
            EntityDescription(
                name: "Volume", renamingIdentifier: "Book",
                attributes: [
                    .text("label", was: "title"),
                    AttributeDescription("pages", .integer32, default: .integer(5)),
                ], uniquenessConstraints: [["label"]]),
            EntityDescription(name: "Added"),
        ])
        for _ in 0..<2 { #expect(try store.refusal(new).code == .uniquenessViolated) }
        #expect(try store.metadata == metadata)
        #expect(try store.keptModel.archived() == old.archived())
        let key = try store.openUnchanged(old) { (context) throws in
            let book = context.insert("Book", ["title": "b"])
            try context.save()
            return book.objectID.key
        }
        #expect(key > 2)
        try store.open(old) { (context) throws in
            try context.object("Book", 2).setValue("c", forKey: "title")
            try context.save()
        }
        let labels = try store.open(new) { try $0.values("label", of: "Volume") }
        #expect(labels == [1: .text("a"), 2: .text("c"), key: .text("b")])
        #expect(try store.metadata.migrations.count == 1)
    }
}

extension ManagedObjectContext {
    /// Gives all books one value.
    fileprivate func setAll(_ name: String, _ value: String) throws {
        for book in try fetch(.all("Book")) { try book.setValue(value, forKey: name) }
        try save()
    }
}
