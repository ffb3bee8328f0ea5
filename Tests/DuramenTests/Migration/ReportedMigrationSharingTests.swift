import Duramen
import DuramenFileStore
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Reports about stores that somebody else has open, and about stores of somebody else. Names begin
/// with the number of the report.
@Suite struct ReportedMigrationSharingTests {
    static let kinds = StoreKind.allCases

    private func book(
        _ attributes: [AttributeDescription], modifier: String? = nil
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(name: "Book", versionHashModifier: modifier, attributes: attributes)
        ])
    }

    private func filled(
        _ kind: StoreKind, _ model: ManagedObjectModel
    ) throws -> VersionedStore {
        let store = VersionedStore(kind)
        try store.open(model) { (context) throws in
            _ = context.insert("Book", ["title": "a"])
            try context.save()
        }
        return store
    }

    // MARK: - B9

    @Test(
        "B9: A container whose store somebody uses is not opened, and is once the store is free",
        arguments: [StoreKind.sqlite, .lmdb])
    func b9ThereIsNoContainerWithoutItsStore(kind: StoreKind) throws {
        let old = try book([.text("title")])
        let new = try book([.text("title"), .text("note")])
        let store = try filled(kind, old)
        defer { store.cleanUp() }
        let other = VersionedStore(kind)
        defer { other.cleanUp() }
        let widget = try PersistentContainer.open(model: old, stores: [store.description])
        // In whatever place the store is.
        for stores in [
            [store.description, other.description], [other.description, store.description],
        ] {
            let error = #expect(throws: StoreError.self) {
                try PersistentContainer.open(model: new, stores: stores).close()
            }
            #expect(error?.message.contains(store.description.location) == true)
            #expect([.storeBusy, .incomplete].contains(error?.code))
        }
        let context = widget.makeContext()
        try context.object("Book", 1).setValue("b", forKey: "title")
        try context.save()
        try widget.close()
        try store.open(new) { (context) throws in
            #expect(try context.values("title", of: "Book") == [1: .text("b")])
            #expect(try context.values("note", of: "Book") == [1: .null])
        }
    }

    // MARK: - B13

    @Test(
        "B13: No way of opening a store of another model takes anything away",
        arguments: kinds, MigrationPolicy.Loss.allCases)
    func b13AMismatchWipesNothing(kind: StoreKind, loss: MigrationPolicy.Loss) throws {
        let old = try book([.text("title")])
        let store = try filled(kind, old)
        defer { store.cleanUp() }
        let (before, metadata) = (try store.checksums(old), try store.metadata)
        let foreign = try ManagedObjectModel([
            EntityDescription(name: "Quake", attributes: [.text("place")])
        ])
        let error = try store.refusal(foreign) { policy in
            policy.loss = loss
            policy.backup = .never
        }
        #expect(error.code == .incompatibleModel)
        #expect(error.message.contains("no entity in common"))
        #expect(try store.checksums(old) == before)
        #expect(try store.metadata == metadata)
    }

    // MARK: - B25

    /// Opens the store as another process would, beside one that has it open here.
    private func migrateElsewhere(
        _ store: VersionedStore, _ kind: StoreKind, _ model: ManagedObjectModel
    ) throws {
        // Memory is shared within one process only, and knows no other.
        if kind != .memory { OpenStoreFile.removeStore(try store.metadata.storeUUID) }
        try store.description.open(model: model).close()
    }

    @Test(
        "B25: Values that were read before a migration stay, and saving them names the store",
        arguments: kinds)
    func b25ValuesThatWereReadStay(kind: StoreKind) throws {
        let old = try book([.text("title"), .text("note")])
        let new = try book([.text("name", was: "title"), .text("note")])
        let store = try filled(kind, old)
        defer { store.cleanUp() }
        let container = try PersistentContainer.open(model: old, stores: [store.description])
        let context = container.makeContext()
        let object = try context.object("Book", 1)
        #expect(try object.value(forKey: "title") as? String == "a")
        try migrateElsewhere(store, kind, new)
        #expect(try object.value(forKey: "title") as? String == "a")
        try object.setValue("b", forKey: "note")
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .storeMigrated)
        #expect(error?.message.contains(store.description.location) == true)
        // What was not saved is not lost either.
        #expect(try object.value(forKey: "title") as? String == "a")
        #expect(try object.value(forKey: "note") as? String == "b")
        let reading = container.makeContext()
        #expect(storeErrorCode { try reading.fetch(.all("Book")) } == .storeMigrated)
        try container.close()
        try store.openUnchanged(new) { (context) throws in
            #expect(try context.values("name", of: "Book") == [1: .text("a")])
            #expect(try context.values("note", of: "Book") == [1: .null])
        }
    }

    @Test(
        "B25: A later migration that makes no table and no column is noticed too",
        arguments: kinds)
    func b25AMigrationWithoutNewColumnsIsNoticed(kind: StoreKind) throws {
        let pages = AttributeDescription("pages", .integer32, isOptional: true)
        let store = try filled(kind, book([.text("title"), pages]))
        defer { store.cleanUp() }
        let second = try book([.text("title"), pages], modifier: "2")
        try store.open(second) { _ in }
        let container = try PersistentContainer.open(model: second, stores: [store.description])
        let context = container.makeContext()
        // Its reader and its writer have looked at the file before.
        let object = try context.object("Book", 1)
        try object.setValue("early", forKey: "title")
        try context.save()
        // A gap is filled, which changes rows and no table.
        let third = try book(
            [.text("title"), AttributeDescription("pages", .integer32, default: .integer(9))],
            modifier: "2")
        try migrateElsewhere(store, kind, third)
        try object.setValue("late", forKey: "title")
        let saving = storeErrorCode { try context.save() }
        let other = container.makeContext()
        let fetching = storeErrorCode { try other.fetch(.all("Book")) }
        try container.close()
        let (titles, numbers) = try store.openUnchanged(third) { (context) throws in
            (try context.values("title", of: "Book"), try context.values("pages", of: "Book"))
        }
        #expect(saving == .storeMigrated)
        #expect(fetching == .storeMigrated)
        #expect(titles == [1: .text("early")])
        #expect(numbers == [1: .integer(9)])
    }
}
