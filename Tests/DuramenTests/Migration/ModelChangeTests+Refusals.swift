import Duramen
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Changes that are refused, and what the store is then.
extension ModelChangeTests {
    @Test(
        "B5: A property that may have been renamed is refused until somebody says which it is",
        arguments: kinds)
    func b5APropertyThatMayHaveBeenRenamedIsRefusedUntilSomebodySays(kind: StoreKind) throws {
        let description = place(kind)
        try fill(description, model([title]), [["title": "a"]])
        let new = try model([AttributeDescription("heading", .string, isOptional: true)])
        let error = #expect(throws: StoreError.self) { try description.open(model: new) }
        #expect(error?.code == .notInferable)
        #expect(error?.message.contains("renamingIdentifier: \"title\"") == true)
        #expect(try values("title", as: String.self, description, model([title])) == ["a"])
        var policy = MigrationPolicy()
        policy.notRenamed = ["Book.heading"]
        #expect(
            try values("heading", as: String.self, description.migrating(policy), new) == [nil])
    }

    @Test(arguments: kinds)
    func aMandatoryAttributeNeedsADefaultOrAFill(kind: StoreKind) throws {
        let description = place(kind)
        try fill(description, model([title]), [["title": "a"]])
        let new = try model([title, AttributeDescription("pages", .integer64)])
        let error = #expect(throws: StoreError.self) { try description.open(model: new) }
        #expect(error?.code == .notInferable)
        #expect(error?.message.contains("fills[\"Book.pages\"]") == true)
        var policy = MigrationPolicy()
        policy.fills["Book.pages"] = .integer(12)
        #expect(try values("pages", as: Int64.self, description.migrating(policy), new) == [12])
    }

    @Test(arguments: kinds)
    func aPolicyWithoutLossRefusesARemoval(kind: StoreKind) throws {
        let description = place(kind)
        let note = AttributeDescription("note", .integer16, isOptional: true)
        try fill(description, model([title, note]), [["title": "a"]])
        var policy = MigrationPolicy()
        policy.loss = .none
        #expect(
            storeErrorCode { try description.migrating(policy).open(model: model([title])) }
                == .notInferable)
    }

    @Test("B12: A constraint over shared values is refused and changes nothing", arguments: kinds)
    func b12AConstraintOverSharedValuesIsRefusedAndChangesNothing(kind: StoreKind) throws {
        let description = place(kind)
        try fill(description, model([title]), [["title": "a"], ["title": "a"], [:], [:]])
        let new = try model([title], unique: [["title"]])
        #expect(storeErrorCode { try description.open(model: new) } == .uniquenessViolated)
        let old = description.withoutMigration()
        #expect(
            try values("title", as: String.self, old, model([title])) == ["a", "a", nil, nil])
    }

    @Test(arguments: kinds)
    func valuesThatDoNotFitAreCountedAndNothingIsChanged(kind: StoreKind) throws {
        let description = place(kind)
        let wide = AttributeDescription("pages", .integer64, isOptional: true)
        let rows: [[String: Any]] = [["pages": Int64(5)], ["pages": Int64(70_000)]]
        try fill(description, model([wide]), rows)
        let new = try model([AttributeDescription("pages", .integer16, isOptional: true)])
        let error = #expect(throws: StoreError.self) { try description.open(model: new) }
        #expect(error?.code == .valuesDoNotFit)
        #expect(error?.message.contains("1 value of 'Book.pages'") == true)
        #expect(
            try values("pages", as: Int64.self, description, model([wide])) == [5, 70_000])
    }

    @Test("B21: An earlier version is told that the store is newer", arguments: kinds)
    func b21AnEarlierVersionIsToldThatTheStoreIsNewer(kind: StoreKind) throws {
        let description = place(kind)
        let old = try model([title])
        try fill(description, old, [["title": "a"]])
        let new = try model([title, AttributeDescription("pages", .integer64, isOptional: true)])
        try description.open(model: new).close()
        #expect(storeErrorCode { try description.open(model: old) } == .storeIsNewer)
        #expect(try description.type.metadata(of: description).migrations.count == 1)
    }

    @Test(arguments: kinds)
    func withoutMigrationAStoreSaysWhatWouldBeChanged(kind: StoreKind) throws {
        let description = place(kind)
        try fill(description, model([title]), [["title": "a"]])
        let new = try model([title, AttributeDescription("pages", .integer64, isOptional: true)])
        for closed in [description.withoutMigration(), description.readOnly()] {
            let error = #expect(throws: StoreError.self) { try closed.open(model: new) }
            #expect(error?.code == .migrationRequired)
            #expect(error?.message.contains("Book.pages: attribute added") == true)
        }
    }

    @Test("B13: A store of another application is left alone", arguments: kinds)
    func b13AStoreOfAnotherApplicationIsLeftAlone(kind: StoreKind) throws {
        let description = place(kind)
        try fill(description, model([title]), [["title": "a"]])
        #expect(
            storeErrorCode { try description.open(model: Seismology.model) } == .incompatibleModel)
        #expect(try values("title", as: String.self, description, model([title])) == ["a"])
    }

    @Test("B9: A store that is open is not migrated behind its user", arguments: kinds)
    func b9AStoreThatIsOpenIsNotMigratedBehindItsUser(kind: StoreKind) throws {
        let description = place(kind)
        let old = try model([title])
        try fill(description, old, [["title": "a"]])
        let new = try model([title, AttributeDescription("pages", .integer64, isOptional: true)])
        let container = try PersistentContainer.open(model: old, stores: [description])
        let context = container.makeContext()
        let request = FetchRequest<ManagedObject>(entityName: "Book")
        let book = try #require(try context.fetch(request).first)
        if kind == .memory {
            // All share one state, and whoever has the old one is told.
            try description.open(model: new).close()
            try book.setValue("b", forKey: "title")
            #expect(throws: (any Error).self) { try context.save() }
        } else {
            #expect(storeErrorCode { try description.open(model: new) } == .storeBusy)
            try book.setValue("b", forKey: "title")
            try context.save()
        }
        try container.close()
        let last = kind == .memory ? "a" : "b"
        #expect(try values("title", as: String.self, description, new) == [last])
    }

    @Test(arguments: kinds)
    func ofSeveralStoresNoneIsChangedWhenOneIsRefused(kind: StoreKind) throws {
        let (first, second) = (place(kind), place(kind))
        let old = try model([title])
        try fill(first, old, [["title": "a"]])
        try fill(second, old, [["title": "b"]])
        let new = try model([title, AttributeDescription("pages", .integer64)])
        var policy = MigrationPolicy()
        policy.fills["Book.pages"] = .integer(1)
        #expect(throws: StoreError.self) {
            try PersistentContainer.open(model: new, stores: [first.migrating(policy), second])
        }
        #expect(try values("title", as: String.self, first.withoutMigration(), old) == ["a"])
    }

    @Test(arguments: kinds)
    func hierarchiesThatBecomeOneAreRefused(kind: StoreKind) throws {
        func model(isJoined: Bool) throws -> ManagedObjectModel {
            try ManagedObjectModel([
                EntityDescription(name: "A", attributes: [title]),
                EntityDescription(name: "B", superentity: isJoined ? "A" : nil),
            ])
        }
        let description = place(kind)
        try fill(description, model(isJoined: false), [["title": "a"]])
        #expect(
            storeErrorCode { try description.open(model: model(isJoined: true)) } == .notInferable)
    }

    @Test(arguments: kinds)
    func ofSeveralStoresItIsSaidWhichWereMigrated(kind: StoreKind) throws {
        func model(_ type: AttributeType) throws -> ManagedObjectModel {
            try self.model([title, AttributeDescription("pages", type, isOptional: true)])
        }
        let old = try model(.integer32)
        let stores = [place(kind), place(kind), place(kind)]
        for (store, pages) in zip(stores, [1, 70_000, 2] as [Int32]) {
            try fill(store, old, [["title": "a", "pages": pages]])
        }
        let new = try model(.integer16)
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer.open(model: new, stores: stores)
        }
        #expect(error?.code == .incomplete)
        let parts = [
            "'\(stores[1].location)' was not opened", "after '\(stores[0].location)' had been",
            "valuesDoNotFit", "Not touched: '\(stores[2].location)'",
        ]
        #expect(parts.allSatisfy { error?.message.contains($0) == true }, "\(error as Any)")
        #expect(try values("pages", as: Int16.self, stores[0].withoutMigration(), new) == [1])
        for store in stores[1...] {
            #expect(try values("title", as: String.self, store.withoutMigration(), old) == ["a"])
        }
        // Once the value fits, all is well.
        let container = try PersistentContainer.open(
            model: old, stores: [stores[1].withoutMigration()])
        let context = container.makeContext()
        for book in try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")) {
            try book.setValue(Int32(7), forKey: "pages")
        }
        try context.save()
        try container.close()
        try PersistentContainer.open(model: new, stores: stores).close()
    }

    @Test(
        "A property is not renamed from one that is inherited now, and the store stays as it was",
        arguments: kinds)
    func anInheritedPropertyMakesARenamingAmbiguous(kind: StoreKind) throws {
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        func model(_ own: String, was: String? = nil, parent: [String]) throws
            -> ManagedObjectModel
        {
            func relationship(_ name: String, _ was: String? = nil) -> RelationshipDescription {
                .toOne(name, destination: "Work", renamingIdentifier: was)
            }
            return try ManagedObjectModel([
                EntityDescription(name: "Work", relationships: parent.map { relationship($0) }),
                EntityDescription(
                    name: "Book", superentity: "Work",
                    attributes: [
                        AttributeDescription(
                            own + "Text", .string, isOptional: true,
                            renamingIdentifier: was.map { $0 + "Text" })
                    ], relationships: [relationship(own, was)]),
            ])
        }
        let old = try model("origin", parent: [])
        try store.open(old) { (context) throws in
            let book = context.insert("Book", ["originText": "a"])
            try book.setValue(context.insert("Work"), forKey: "origin")
            try context.save()
        }
        let before = try store.checksums(old)
        let error = try store.refusal(model("source", was: "origin", parent: ["origin"])) {
            $0.loss = .all
        }
        #expect(error.code == .notInferable)
        #expect(error.message.contains("Book.source"))
        #expect(try store.checksums(old) == before)
        try store.open(model("source", was: "origin", parent: ["other"])) { (context) throws in
            #expect(try context.ends("source", of: "Book") == [1: ["Work/2"]])
        }
    }
}
