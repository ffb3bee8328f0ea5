import Duramen
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Reports about keys, pairs and orders that are lost. Names begin with the number of the report.
@Suite struct ReportedMigrationRelationshipTests {
    static let kinds = StoreKind.allCases

    // MARK: - B23

    /// Lists with entries in an order, and tags in an order of their own.
    private func lists(_ names: [String: String] = [:]) throws -> ManagedObjectModel {
        func name(_ old: String) -> String { names[old] ?? old }
        func was(_ old: String) -> String? { names[old] == nil ? nil : old }
        return try ManagedObjectModel([
            EntityDescription(
                name: name("List"), renamingIdentifier: was("List"),
                attributes: [.text(name("title"), was: was("title"))],
                relationships: [
                    .toMany(
                        name("entries"), destination: name("Entry"), inverse: name("list"),
                        isOrdered: true, renamingIdentifier: was("entries")),
                    .toMany(
                        name("tags"), destination: name("Tag"), inverse: name("lists"),
                        isOrdered: true, renamingIdentifier: was("tags")),
                ], indexes: [IndexDescription(name("title"))]),
            EntityDescription(
                name: name("Entry"), renamingIdentifier: was("Entry"),
                attributes: [.text(name("word"), was: was("word"))],
                relationships: [
                    .toOne(
                        name("list"), destination: name("List"), renamingIdentifier: was("list"))
                ], uniquenessConstraints: [[name("word")]]),
            EntityDescription(
                name: name("Tag"), renamingIdentifier: was("Tag"),
                attributes: [.text(name("mark"), was: was("mark"))],
                relationships: [
                    .toMany(
                        name("lists"), destination: name("List"), isOrdered: true,
                        renamingIdentifier: was("lists"))
                ]),
        ])
    }

    private func fill(_ store: VersionedStore) throws {
        try store.open(lists()) { (context) throws in
            var tags: [ManagedObject] = []
            var entries: [ManagedObject] = []
            var lists: [ManagedObject] = []
            for number in 1...3 {
                tags.append(context.insert("Tag", ["mark": "t\(number)"]))
                entries.append(context.insert("Entry", ["word": "w\(number)"]))
                lists.append(context.insert("List", ["title": "l\(number)"]))
                try context.save()
            }
            try lists[0].setValue([entries[2], entries[0]], forKey: "entries")
            try lists[1].setValue([entries[1]], forKey: "entries")
            try lists[0].setValue([tags[1], tags[2], tags[0]], forKey: "tags")
            try lists[2].setValue([tags[2], tags[1]], forKey: "tags")
            try tags[1].setValue([lists[2], lists[0]], forKey: "lists")
            try context.save()
            // A key that was handed out is never given again.
            context.delete(context.insert("Entry", ["word": "gone"]))
            let last = context.insert("Entry", ["word": "gone too"])
            try context.save()
            context.delete(last)
            try context.save()
        }
    }

    @Test(
        "B23: Keys, pairs and orders are the same under other names of everything",
        arguments: kinds)
    func b23RenamingLosesNothing(kind: StoreKind) throws {
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try fill(store)
        let names = [
            // The names of tables, columns and pairs go by other orders than before.
            "List": "Zeta", "Entry": "Alpha", "Tag": "Middle", "title": "name",
            "entries": "members", "list": "owner", "tags": "labels", "lists": "holders",
            "word": "text", "mark": "sign",
        ]
        let nextEntry = try store.openUnchanged(lists()) { (context) throws in
            let entry = context.insert("Entry", ["word": "next"])
            try context.save()
            let key = entry.objectID.key
            context.delete(entry)
            try context.save()
            return key
        }
        #expect(nextEntry > 4)
        try store.open(lists(names)) { (context) throws in
            #expect(
                try context.values("name", of: "Zeta")
                    == [1: .text("l1"), 2: .text("l2"), 3: .text("l3")])
            #expect(
                try context.values("text", of: "Alpha")
                    == [1: .text("w1"), 2: .text("w2"), 3: .text("w3")])
            #expect(
                try context.values("sign", of: "Middle")
                    == [1: .text("t1"), 2: .text("t2"), 3: .text("t3")])
            #expect(
                try context.ends("members", of: "Zeta")
                    == [1: ["Alpha/3", "Alpha/1"], 2: ["Alpha/2"]])
            #expect(
                try context.ends("owner", of: "Alpha")
                    == [1: ["Zeta/1"], 2: ["Zeta/2"], 3: ["Zeta/1"]])
            #expect(
                try context.ends("labels", of: "Zeta")
                    == [
                        1: ["Middle/2", "Middle/3", "Middle/1"], 3: ["Middle/3", "Middle/2"],
                    ])
            #expect(
                try context.ends("holders", of: "Middle")
                    == [1: ["Zeta/1"], 2: ["Zeta/3", "Zeta/1"], 3: ["Zeta/1", "Zeta/3"]])
            let entry = context.insert("Alpha", ["text": "new"])
            try context.save()
            #expect(entry.objectID.key > nextEntry)
            // The constraint goes by the new name.
            _ = context.insert("Alpha", ["text": "w1"])
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test(
        "B23: A name that another entity of the table had before keeps nobody's values",
        arguments: kinds)
    func b23ANameThatASiblingHasReadsNothingOfIt(kind: StoreKind) throws {
        func model(
            aHasText: Bool, bHasText: Bool, modifier: String? = nil
        ) throws -> ManagedObjectModel {
            try ManagedObjectModel([
                EntityDescription(
                    name: "Root", versionHashModifier: modifier, attributes: [.text("name")]),
                EntityDescription(
                    name: "A", superentity: "Root", attributes: aHasText ? [.text("text")] : []),
                EntityDescription(
                    name: "B", superentity: "Root", attributes: bHasText ? [.text("text")] : []),
            ])
        }
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try store.open(model(aHasText: false, bHasText: true)) { (context) throws in
            _ = context.insert("A", ["name": "a"])
            try context.save()
            _ = context.insert("B", ["name": "b", "text": "of B"])
            try context.save()
        }
        try store.open(model(aHasText: true, bHasText: true)) { (context) throws in
            #expect(try context.values("text", of: "A") == [1: .null])
            #expect(try context.values("text", of: "B") == [2: .text("of B")])
            try context.object("A", 1).setValue("of A", forKey: "text")
            try context.save()
        }
        try store.open(model(aHasText: true, bHasText: false)) { (context) throws in
            #expect(try context.values("text", of: "A") == [1: .text("of A")])
            #expect(
                try context.values("name", of: "Root") == [1: .text("a"), 2: .text("b")])
        }
        // What went does not come back.
        try store.open(model(aHasText: false, bHasText: true, modifier: "again")) {
            (context) throws in
            #expect(try context.values("text", of: "B") == [2: .null])
        }
    }

    // MARK: - B30

    /// Items on shelves, with a photo and tags.
    private func shelves(
        isRelated: Bool, modifier: String? = nil
    ) throws -> ManagedObjectModel {
        let photo = AttributeDescription(
            "photo", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true)
        return try ManagedObjectModel([
            EntityDescription(
                name: "Item", versionHashModifier: modifier, attributes: [.text("name"), photo],
                relationships: (isRelated
                    ? [.toOne("shelf", destination: "Shelf", inverse: "items")] : [])
                    + [
                        .toMany("tags", destination: "Tag", inverse: "items"),
                        .toOne("next", destination: "Item", inverse: "previous"),
                        .toOne("previous", destination: "Item"),
                    ], indexes: isRelated ? [IndexDescription("shelf")] : []),
            EntityDescription(
                name: "Shelf", attributes: [.text("code")],
                relationships: isRelated
                    ? [.toMany("items", destination: "Item", isOrdered: true)] : []),
            EntityDescription(
                name: "Tag", attributes: [.text("mark")],
                relationships: [.toMany("items", destination: "Item")]),
        ])
    }

    private func large(_ number: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: 200_000)
    }

    private func fillShelves(_ store: VersionedStore) throws {
        try store.open(shelves(isRelated: true)) { (context) throws in
            let shelf = context.insert("Shelf", ["code": "s"])
            let tag = context.insert("Tag", ["mark": "t"])
            var last: ManagedObject?
            for number in 1...3 {
                let item = context.insert(
                    "Item",
                    [
                        "name": "i\(number)", "photo": large(number), "shelf": shelf,
                        "previous": last,
                    ])
                if number != 2 { try item.setValue([tag], forKey: "tags") }
                try context.save()
                last = item
            }
        }
    }

    @Test(
        "B30: A to-one that goes leaves rows, files and the other relationships as they were",
        arguments: kinds)
    func b30AToOneThatGoesTakesNothingAlong(kind: StoreKind) throws {
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try fillShelves(store)
        let new = try shelves(isRelated: false)
        #expect(try store.plan(new).losses.map(\.name).sorted() == ["Item.shelf", "Shelf.items"])
        func check(_ context: ManagedObjectContext) throws {
            #expect(
                try context.values("name", of: "Item")
                    == [1: .text("i1"), 2: .text("i2"), 3: .text("i3")])
            #expect(
                try context.values("photo", of: "Item")
                    == [1: .binary(large(1)), 2: .binary(large(2)), 3: .binary(large(3))])
            #expect(try context.ends("tags", of: "Item") == [1: ["Tag/1"], 3: ["Tag/1"]])
            #expect(try context.ends("items", of: "Tag") == [1: ["Item/1", "Item/3"]])
            #expect(try context.ends("next", of: "Item") == [1: ["Item/2"], 2: ["Item/3"]])
            #expect(try context.values("code", of: "Shelf") == [1: .text("s")])
        }
        try store.open(new) { (context) throws in
            try check(context)
            // Saved once under the new version, as the report's program did.
            try context.object("Item", 2).setValue("i2", forKey: "name")
            try context.object("Shelf", 1).setValue("s", forKey: "code")
            try context.save()
        }
        // When it comes back it leads nowhere.
        try store.open(shelves(isRelated: true, modifier: "again")) { (context) throws in
            try check(context)
            #expect(try context.ends("shelf", of: "Item") == [:])
            #expect(try context.ends("items", of: "Shelf") == [:])
        }
    }

    @Test(
        "B30: A to-one that goes with its destination takes the objects there, and only these",
        arguments: kinds)
    func b30AToOneGoesWithItsDestination(kind: StoreKind) throws {
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try fillShelves(store)
        var rest = try shelves(isRelated: false).descriptions
        rest.removeAll { $0.name == "Shelf" }
        let new = try ManagedObjectModel(rest)
        try store.open(new) { (context) throws in
            #expect(
                try context.values("name", of: "Item")
                    == [1: .text("i1"), 2: .text("i2"), 3: .text("i3")])
            #expect(try context.ends("tags", of: "Item") == [1: ["Tag/1"], 3: ["Tag/1"]])
            context.delete(try context.object("Item", 2))
            try context.save()
            #expect(try context.ends("next", of: "Item") == [:])
        }
        let open = try store.description.open(model: new)
        defer { try? open.close() }
        #expect(try StoreVerification(of: open).run() == [])
    }
}
