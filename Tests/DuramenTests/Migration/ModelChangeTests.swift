import Duramen
import DuramenFileStore
import DuramenMemory
import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// A store that meets another version of its model. Names begin with the number of the report that
/// they answer.
@Suite struct ModelChangeTests {
    static let kinds = StoreKind.allCases

    /// A fresh store that outlives its container.
    func place(_ kind: StoreKind) -> PersistentStoreDescription {
        kind == .memory ? .memory(UUID().uuidString) : kind.description
    }

    func model(
        _ attributes: [AttributeDescription], entity: String = "Book", was: String? = nil,
        unique: [[String]] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: entity, renamingIdentifier: was, attributes: attributes,
                uniquenessConstraints: unique)
        ])
    }

    let title = AttributeDescription("title", .string, isOptional: true)

    /// Makes a store with an object for each row of values.
    func fill(
        _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
        _ rows: [[String: Any]]
    ) throws {
        let container = try PersistentContainer.open(model: model, stores: [description])
        let context = container.makeContext()
        for row in rows {
            let object = ManagedObject(entity: model.entities[0], context: context)
            for (name, value) in row { try object.setValue(value, forKey: name) }
        }
        try context.save()
        try container.close()
    }

    /// The values of an attribute, in the order of the objects.
    func values<Value>(
        _ name: String, as: Value.Type, _ description: PersistentStoreDescription,
        _ model: ManagedObjectModel
    ) throws -> [Value?] {
        let container = try PersistentContainer.open(model: model, stores: [description])
        defer { try? container.close() }
        let context = container.makeContext()
        let request = FetchRequest<ManagedObject>(entityName: model.entities[0].name)
        return try context.fetch(request).sorted { $0.objectID < $1.objectID }
            .map { try $0.value(forKey: name) as? Value }
    }

    @Test(arguments: kinds)
    func anAddedAttributeHasItsDefaultInOldObjects(kind: StoreKind) throws {
        let description = place(kind)
        try fill(description, model([title]), [["title": "a"], [:]])
        let new = try model([
            title, AttributeDescription("pages", .integer32, default: .integer(7)),
            AttributeDescription("note", .string, isOptional: true),
        ])
        #expect(try values("pages", as: Int32.self, description, new) == [7, 7])
        #expect(try values("title", as: String.self, description, new) == ["a", nil])
        #expect(try values("note", as: String.self, description, new) == [nil, nil])
    }

    @Test(arguments: kinds)
    func aLaterDefaultChangesNoOldObject(kind: StoreKind) throws {
        let description = place(kind)
        try fill(description, model([title]), [["title": "a"]])
        for pages in [1, 2] as [Int64] {
            let new = try model([
                title, AttributeDescription("pages", .integer32, default: .integer(pages)),
            ])
            #expect(try values("pages", as: Int32.self, description, new) == [1])
        }
    }

    @Test(
        "B31: An attribute that is renamed twice keeps its values, skipped versions or not",
        arguments: kinds)
    func b31AnAttributeThatIsRenamedTwiceKeepsItsValues(kind: StoreKind) throws {
        func renamed(_ name: String, _ identifier: String?) throws -> ManagedObjectModel {
            try model([
                AttributeDescription(
                    name, .string, isOptional: true, renamingIdentifier: identifier)
            ])
        }
        let first = try renamed("color", nil)
        let second = try renamed("paintColor", "color")
        // The name that it had first, and, as some do, the one before.
        for third in [try renamed("tint", "color"), try renamed("tint", "paintColor")] {
            let description = place(kind)
            try fill(description, first, [["color": "red"]])
            #expect(try values("paintColor", as: String.self, description, second) == ["red"])
            #expect(try values("tint", as: String.self, description, third) == ["red"])
        }
        let description = place(kind)
        try fill(description, first, [["color": "red"]])
        let third = try renamed("tint", "color")
        #expect(try values("tint", as: String.self, description, third) == ["red"])
    }

    @Test(arguments: kinds)
    func whatWasRemovedDoesNotComeBack(kind: StoreKind) throws {
        let description = place(kind)
        let note = AttributeDescription("note", .string, isOptional: true)
        try fill(description, model([title, note]), [["title": "a", "note": "old"]])
        #expect(try values("title", as: String.self, description, model([title])) == ["a"])
        let again = try model([
            title, note, AttributeDescription("third", .integer16, isOptional: true),
        ])
        #expect(try values("note", as: String.self, description, again) == [nil])
    }

    @Test(
        "B25: Another process that has the store open writes nothing more",
        arguments: [StoreKind.sqlite, .lmdb], ["Book", "Volume"])
    func b25AnotherProcessThatHasTheStoreOpenWritesNothingMore(
        kind: StoreKind, name: String
    ) throws {
        let description = place(kind)
        let old = try model([title])
        try fill(description, old, [["title": "a"]])
        let open = try description.open(model: old)
        let before = try open.snapshot()
        let id = ManagedObjectID(
            store: open.handle, entity: old.entities[0].handle, key: 1)
        #expect(try before.row(for: id) != nil)
        // As if another process had it open.
        let uuid = try open.metadata().storeUUID
        OpenStoreFile.removeStore(uuid)
        let new = try model(
            [AttributeDescription("name", .string, isOptional: true, renamingIdentifier: "title")],
            entity: name, was: "Book")
        let migrated = try description.open(model: new)
        // What it has begun to read it reads to its end.
        #expect(try before.row(for: id) != nil)
        let keys = storeErrorCode { try open.allocateKeys(1, for: old.entities[0].id) }
        #expect(keys == nil || keys == .storeMigrated)
        var builder = RowBatchBuilder(capacity: 64)
        builder.beginRow(
            entity: old.entities[0].id, slotCount: old.entities[0].layout.slotCount, key: 99,
            version: .unsaved)
        builder.endRow()
        let changes = ChangeSet(inserts: RowList(builder.finish()))
        #expect(storeErrorCode { _ = try open.save(changes) } == .storeMigrated)
        #expect(storeErrorCode { _ = try open.snapshot() } == .storeMigrated)
        let query = StoreQuery(entity: new.entities[0].id)
        let count = try QueryExecution(query, on: migrated, in: migrated.snapshot()).count()
        #expect(count == 1)
        try migrated.close()
        try open.close()
    }

    // The entity that a to-one led to goes, and one that was below it goes on elsewhere.
    @Test(arguments: kinds)
    func aDestinationThatIsReplacedLeavesNoReferenceToOtherEntities(kind: StoreKind) throws {
        let target = RelationshipDescription.toOne("target", destination: "Old")
        let old = try ManagedObjectModel([
            EntityDescription(name: "Box", relationships: [target]),
            EntityDescription(name: "Old"), EntityDescription(name: "Part", superentity: "Old"),
            EntityDescription(name: "Other"),
        ])
        let description = place(kind)
        try fill(description, old, [[:]])
        let boxes = [
            EntityDescription(
                name: "Box", relationships: [.toOne("target", destination: "Other")]),
            EntityDescription(name: "Other"),
        ]
        let kept = try ManagedObjectModel(boxes + [EntityDescription(name: "Part")])
        try description.open(model: kept).close()
        try description.open(model: ManagedObjectModel(boxes)).close()
    }

    @Test(arguments: kinds)
    func anEntityThatIsRenamedKeepsItsObjectsAndTheirKeys(kind: StoreKind) throws {
        let description = place(kind)
        try fill(description, model([title]), [["title": "a"], ["title": "b"]])
        let new = try model([title], entity: "Volume", was: "Book")
        #expect(try values("title", as: String.self, description, new) == ["a", "b"])
        let store = try description.open(model: new)
        let keys = try store.allocateKeys(1, for: new.entities[0].id)
        #expect(keys.lowerBound > 2)
        try store.close()
    }

    @Test(arguments: kinds)
    func theHistoryOfEarlierVersionsIsReadInTheNamesOfThePresent(kind: StoreKind) throws {
        let description = place(kind).keepingHistory()
        let code = AttributeDescription(
            "code", .string, isOptional: true, preservesValueInHistoryOnDeletion: true)
        let gone = AttributeDescription("aaa", .integer16, isOptional: true)
        let old = try model([title, code, gone])
        let container = try PersistentContainer.open(model: old, stores: [description])
        let context = container.makeContext()
        let object = ManagedObject(entity: old.entities[0], context: context)
        try object.setValue("x", forKey: "code")
        try context.save()
        try object.setValue("b", forKey: "title")
        try object.setValue(Int16(1), forKey: "aaa")
        try context.save()
        context.delete(object)
        try context.save()
        try container.close()

        // Other names, and in another order.
        let new = try ManagedObjectModel([
            EntityDescription(
                name: "Volume", renamingIdentifier: "Book",
                attributes: [
                    AttributeDescription("added", .string, isOptional: true),
                    AttributeDescription(
                        "label", .string, isOptional: true, renamingIdentifier: "title"),
                    AttributeDescription(
                        "identifier", .string, isOptional: true,
                        preservesValueInHistoryOnDeletion: true, renamingIdentifier: "code"),
                ])
        ])
        var policy = MigrationPolicy()
        policy.loss = .all
        let store = try description.migrating(policy).open(model: new)
        defer { try? store.close() }
        let transactions = try store.historyTracking().history(HistoryRequest(after: 0))
        #expect(transactions.count == 4)
        #expect(transactions.last?.author == "duramen.migration")
        let changes = transactions.flatMap { $0.changes ?? [] }
        #expect(changes.map(\.changedObjectID.entityName) == ["Volume", "Volume", "Volume"])
        #expect(changes[1].updatedProperties == ["label", "aaa"])
        #expect(changes[2].tombstone == ["identifier": .text("x")])
    }

    @Test("B24: Saved URIs lead to objects of entities that were renamed since", arguments: kinds)
    func b24SavedURIsLeadToObjectsOfRenamedEntities(kind: StoreKind) throws {
        let description = place(kind)
        let names = ["Book", "Volume", "Work"]
        let first = try model([title], entity: names[0])
        try fill(description, first, [["title": "a"], ["title": "b"]])
        let container = try PersistentContainer.open(model: first, stores: [description])
        let books = try container.makeContext().fetch(
            FetchRequest<ManagedObject>(entityName: "Book"))
        let uris = books.map { $0.objectID.uriRepresentation }
        let titles = try books.map { try $0.value(forKey: "title") as? String }
        #expect(Set(titles) == ["a", "b"])
        try container.close()
        for (was, name) in zip(names, names.dropFirst()) {
            let next = try model([title], entity: name, was: was)
            let container = try PersistentContainer.open(model: next, stores: [description])
            defer { try? container.close() }
            let context = container.makeContext()
            let found = try uris.map { uri in
                let id = try #require(
                    container.persistentStoreCoordinator.managedObjectID(
                        forURIRepresentation: uri))
                #expect(id.entityName == name)
                #expect(id.uriRepresentation.lastPathComponent == uri.lastPathComponent)
                return try context.existingObject(with: id).value(forKey: "title") as? String
            }
            #expect(found == titles)
            let unknown = uris[0].absoluteString.replacing("Book", with: "Nothing")
            #expect(
                container.persistentStoreCoordinator.managedObjectID(
                    forURIRepresentation: try #require(URL(string: unknown))) == nil)
        }
    }
}
