import Duramen
import Testing

/// Relationships that are their own inverses, and those without one, on every store.
@MainActor struct RelationshipKindTests {
    /// Friends and spouses; toys and books in one box at a time, and a favourite of any kind; boxes
    /// of two kinds.
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Person",
                    attributes: [AttributeDescription("name", .string, isOptional: true)],
                    relationships: [
                        .toMany("friends", destination: "Person", inverse: "friends"),
                        .toMany(
                            "ranking", destination: "Person", inverse: "ranking", isOrdered: true),
                        .toOne("spouse", destination: "Person", inverse: "spouse"),
                        .toOne("favourite", destination: "Thing"),
                    ]),
                EntityDescription(
                    name: "Thing",
                    attributes: [AttributeDescription("name", .string, isOptional: true)]),
                EntityDescription(
                    name: "Book", superentity: "Thing",
                    attributes: [AttributeDescription("pages", .integer64, isOptional: true)],
                    relationships: [.toOne("author", destination: "Person")]),
                EntityDescription(
                    name: "Box",
                    relationships: [
                        .toMany("things", destination: "Thing"),
                        .toMany("queue", destination: "Thing", isOrdered: true),
                    ]),
                EntityDescription(name: "Crate", superentity: "Box"),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    private func objects(_ object: ManagedObject, _ key: String) throws -> [ManagedObject] {
        try #require(try object.value(forKey: key) as? [ManagedObject])
    }

    private func object(_ object: ManagedObject, _ key: String) throws -> ManagedObject? {
        try object.value(forKey: key) as? ManagedObject
    }

    /// The IDs that a relationship of an object leads to in another context.
    private func stored(
        _ object: ManagedObject, _ key: String, _ container: PersistentContainer
    ) throws -> [ManagedObjectID] {
        let context = container.makeContext()
        let found = try context.existingObject(with: object.objectID)
        return try withExtendedLifetime(context) {
            switch try found.value(forKey: key) {
            case let many as [ManagedObject]: many.map(\.objectID)
            case let one as ManagedObject: [one.objectID]
            default: []
            }
        }
    }

    // MARK: - Own inverses

    @Test(arguments: StoreKind.allCases)
    func friendsAreFriendsOfEachOther(kind: StoreKind) throws {
        let container = try kind.container(Self.model)
        let context = container.viewContext
        let people = (0..<4).map { _ in context.insert("Person") }
        try people[0].setValue([people[1], people[2]], forKey: "friends")
        try people[3].setValue([people[3], people[0]], forKey: "friends")
        for _ in 0..<2 {
            #expect(try Set(objects(people[0], "friends")) == [people[1], people[2], people[3]])
            #expect(try objects(people[1], "friends") == [people[0]])
            #expect(try Set(objects(people[3], "friends")) == [people[0], people[3]])
            try context.save()
        }
        // Seen from the other end, in another context, which tells this one.
        let other = container.makeContext()
        let second = try other.existingObject(with: people[1].objectID)
        try second.setValue([second], forKey: "friends")
        try other.save()
        context.processPendingChanges()
        #expect(try Set(objects(people[0], "friends")) == [people[2], people[3]])
        #expect(try objects(people[1], "friends") == [people[1]])
        context.delete(people[3])
        try context.save()
        #expect(try objects(people[0], "friends") == [people[2]])
        #expect(try stored(people[0], "friends", container) == [people[2].objectID])
        #expect(try stored(people[1], "friends", container) == [people[1].objectID])
    }

    @Test(arguments: StoreKind.allCases)
    func eachEndOfAnOrderedPairHasAnOrderOfItsOwn(kind: StoreKind) throws {
        let container = try kind.container(Self.model)
        let context = container.viewContext
        let people = (0..<4).map { _ in context.insert("Person") }
        try people[0].setValue([people[3], people[1], people[2]], forKey: "ranking")
        try people[2].setValue([people[3], people[0], people[2]], forKey: "ranking")
        try context.save()
        func ranking(_ place: Int) throws -> [Int] {
            try stored(people[place], "ranking", container).compactMap { id in
                people.firstIndex { $0.objectID == id }
            }
        }
        #expect(try ranking(0) == [3, 1, 2])
        #expect(try ranking(1) == [0])
        #expect(try ranking(2) == [3, 0, 2])
        #expect(try ranking(3) == [0, 2])
        people[3].orderedToMany(at: 1).move(from: 1, to: 0)
        try context.save()
        #expect(try ranking(3) == [2, 0])
        #expect(try ranking(2) == [3, 0, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func aSpouseLeavesTheOneBefore(kind: StoreKind) throws {
        let container = try kind.container(Self.model)
        let context = container.viewContext
        let people = (0..<4).map { _ in context.insert("Person") }
        try people[0].setValue(people[1], forKey: "spouse")
        try people[2].setValue(people[3], forKey: "spouse")
        try context.save()
        try people[1].setValue(people[2], forKey: "spouse")
        for place in [0, 3] { #expect(try object(people[place], "spouse") == nil) }
        #expect(try object(people[2], "spouse") == people[1])
        try context.save()
        #expect(try stored(people[2], "spouse", container) == [people[1].objectID])
        try people[1].setValue(people[1], forKey: "spouse")
        #expect(try object(people[1], "spouse") == people[1])
        #expect(try object(people[2], "spouse") == nil)
        try context.save()
        context.delete(people[1])
        try context.save()
        #expect(!context.hasChanges)
    }

    // MARK: - Without inverses

    @Test(arguments: StoreKind.allCases)
    func deletingADestinationClearsReferencesThatItDoesNotKnow(kind: StoreKind) throws {
        let container = try kind.container(Self.model)
        let context = container.viewContext
        let things = ["Thing", "Book"].map { context.insert($0) }
        let people = (0..<4).map { _ in context.insert("Person") }
        for (place, person) in people.enumerated() {
            try person.setValue(things[place % 2], forKey: "favourite")
        }
        try things[1].setValue(people[0], forKey: "author")
        try context.save()
        let other = container.makeContext()
        for (place, person) in people.enumerated() {
            let found = try other.existingObject(with: person.objectID)
            #expect(try object(found, "favourite")?.objectID == things[place % 2].objectID)
        }
        // Neither the people nor what they like is known to the context that deletes.
        let third = container.makeContext()
        third.delete(try third.existingObject(with: things[1].objectID))
        third.delete(try third.existingObject(with: things[0].objectID))
        try third.save()
        for person in people {
            #expect(try stored(person, "favourite", container).isEmpty)
        }
        context.processPendingChanges()
        for person in people { #expect(try object(person, "favourite") == nil) }
        #expect(things.allSatisfy { $0.entity.property(named: ".Person.favourite") == nil })
        #expect(throws: ContextError.self) { try people[0].value(forKey: ".Book.author") }
    }

    @Test(arguments: StoreKind.allCases, ["things", "queue"])
    func anObjectIsInOneToManyWithoutInverseAtATime(kind: StoreKind, key: String) throws {
        let container = try kind.container(Self.model)
        let context = container.viewContext
        let boxes = ["Box", "Crate"].map { context.insert($0) }
        let things = ["Thing", "Book", "Book"].map { context.insert($0) }
        try boxes[0].setValue([things[2], things[0], things[1]], forKey: key)
        try context.save()
        try boxes[1].setValue([things[1], things[2]], forKey: key)
        #expect(try objects(boxes[0], key) == [things[0]])
        try context.save()
        #expect(
            try stored(boxes[0], key, container) == [things[0].objectID])
        let found = try stored(boxes[1], key, container)
        #expect(found == [things[1].objectID, things[2].objectID])
        context.delete(boxes[1])
        context.delete(things[0])
        try context.save()
        #expect(try objects(boxes[0], key).isEmpty)
        #expect(try stored(boxes[0], key, container).isEmpty)
        // What the crate held is free again.
        try boxes[0].setValue([things[2], things[1]], forKey: key)
        try context.save()
        let last = try stored(boxes[0], key, container)
        #expect(
            key == "queue"
                ? last == [things[2].objectID, things[1].objectID]
                : Set(last) == [things[1].objectID, things[2].objectID])
    }

    @Test(arguments: StoreKind.allCases)
    func predicatesFollowRelationshipsWithoutInverses(kind: StoreKind) throws {
        let container = try kind.container(Self.model)
        let context = container.viewContext
        let boxes = ["Box", "Crate"].map { context.insert($0) }
        let things = ["Thing", "Book"].map { context.insert($0) }
        try things[1].setValue(300, forKey: "pages")
        for thing in things { try thing.setValue("\(thing.entity.name)", forKey: "name") }
        try boxes[0].setValue([things[0]], forKey: "things")
        try boxes[1].setValue([things[1]], forKey: "things")
        let person = context.insert("Person")
        try person.setValue(things[1], forKey: "favourite")
        try person.setValue([person], forKey: "friends")
        for _ in 0..<2 {
            func found(_ entity: String, _ predicate: FetchPredicate) throws -> [ManagedObject] {
                let request = FetchRequest<ManagedObject>(entityName: entity).where(predicate)
                return try context.fetch(request)
            }
            let isBook = FetchPredicate.keyPath("name", .equal, "Book")
            #expect(
                try found("Box", .quantified(.any, keyPath: ["things"], isBook)) == [boxes[1]])
            #expect(
                try found("Person", .keyPath("favourite.name", .equal, "Book")) == [person])
            let hasFriend = FetchPredicate.quantified(
                .any, keyPath: ["friends"], .constant(true))
            #expect(
                try found("Person", .quantified(.any, keyPath: ["friends"], hasFriend)) == [person])
            try context.save()
        }
    }
}
