import Duramen
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Relationships without a way back that move up to a parent, down to children, or elsewhere.
@Suite struct MovedLinkTests {
    static let kinds = StoreKind.allCases

    /// Items in boxes of two kinds, both of which are crates.
    private func model(
        _ owners: [String], isToMany: Bool = true, destination: String = "Item"
    ) throws -> ManagedObjectModel {
        func crate(_ name: String, _ parent: String?) -> EntityDescription {
            let link: RelationshipDescription =
                isToMany
                ? .toMany("items", destination: destination)
                : .toOne("items", destination: destination)
            return EntityDescription(
                name: name, superentity: parent, relationships: owners.contains(name) ? [link] : [])
        }
        return try ManagedObjectModel([
            crate("Crate", nil), crate("Box", "Crate"), crate("Bag", "Crate"),
            EntityDescription(name: "Item"), EntityDescription(name: "Other"),
        ])
    }

    private let apart = ["Box", "Bag"]

    /// A box with two items, and a bag with one, which may be in the box too.
    private func filled(_ kind: StoreKind, _ owners: [String], shares: Bool = false) throws
        -> VersionedStore
    {
        let store = VersionedStore(kind)
        try store.open(model(owners)) { (context) throws in
            let items = (0..<3).map { _ in context.insert("Item", [:]) }
            try context.save()
            let (box, bag) = (context.insert("Box", [:]), context.insert("Bag", [:]))
            try context.save()
            try box.setValue(items[..<2].map { $0 }, forKey: "items")
            try bag.setValue(shares ? [items[0], items[2]] : [items[2]], forKey: "items")
            try context.save()
        }
        return store
    }

    private func items(_ context: ManagedObjectContext) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for crate in try context.fetch(.all("Crate")) {
            counts[crate.entity.name] =
                (try crate.value(forKey: "items") as? [ManagedObject])?.count
        }
        return counts
    }

    @Test("What two children had is the parent's", arguments: kinds)
    func up(kind: StoreKind) throws {
        let store = try filled(kind, apart)
        defer { store.cleanUp() }
        let found = try store.open(model(["Crate"])) { try items($0) }
        #expect(found == ["Box": 2, "Bag": 1])
    }

    @Test("An object that was in collections of both is refused in one", arguments: kinds)
    func shared(kind: StoreKind) throws {
        let store = try filled(kind, apart, shares: true)
        defer { store.cleanUp() }
        let error = try store.refusal(model(["Crate"]))
        #expect(error.code == .valuesDoNotFit)
        #expect(error.message.contains("1 link of '"))
        let found = try store.openUnchanged(model(apart)) { try $0.fetch(.all("Bag")).count }
        #expect(found == 1)
    }

    @Test("What the parent had is the children's", arguments: kinds)
    func down(kind: StoreKind) throws {
        let store = try filled(kind, ["Crate"])
        defer { store.cleanUp() }
        let found = try store.open(model(apart)) { (context) throws in
            try items(context)
        }
        #expect(found == ["Box": 2, "Bag": 1])
    }

    @Test("References that go since the destination is another one leave a copy", arguments: kinds)
    func elsewhere(kind: StoreKind) throws {
        let store = try filled(kind, ["Crate"])
        defer { store.cleanUp() }
        let other = try model(["Crate"], destination: "Other")
        let error = try store.refusal(other)
        #expect(error.code == .notInferable && error.message.contains("loss = .all"))
        let found = try store.open(other, migrating: { $0.loss = .all }) { try items($0) }
        #expect(found == ["Box": 0, "Bag": 0])
        #expect(store.description.migrationBackups.count == 1)
    }
}
