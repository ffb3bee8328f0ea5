import Duramen
import Testing

/// Objects with the same unique values become one, and everything follows the ID that is left.
@Suite struct UniquenessPolicyTests {
    static let settling: [MergePolicy] = [
        .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .fill, .overwrite, .rollback,
    ]

    private func stored(_ container: PersistentContainer) throws -> [String] {
        let context = container.makeContext()
        return try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map {
            "\($0.code) \($0.magnitude) \($0.depth.map { "\($0)" } ?? "nil") "
                + "\($0.region?.name ?? "-") \($0.tags.map(\.name).sorted().joined())"
        }
    }

    /// A container with a quake of magnitude 2, depth 20, in the region "Old", with the tag "a".
    private func container(_ kind: StoreKind) throws -> (PersistentContainer, ManagedObjectID) {
        let container = try kind.container()
        let context = container.makeContext()
        let quake = context.insertQuake("us1", magnitude: 2, in: context.insertRegion("Old"))
        quake.depth = 20
        quake.tags.insert(context.insertTag("a"))
        try context.save()
        return (container, quake.objectID)
    }

    @Test(
        "A new object folds into the stored one, whose ID survives",
        arguments: StoreKind.allCases,
        [
            ("store", "us1 2.0 20.0 Old ab"), ("object", "us1 3.0 nil New ab"),
            ("fill", "us1 3.0 20.0 New ab"), ("overwrite", "us1 3.0 nil New ab"),
        ])
    func aNewObjectFolds(kind: StoreKind, expected: (String, String)) throws {
        let policies: [String: MergePolicy] = [
            "store": .mergeByPropertyStoreTrump, "object": .mergeByPropertyObjectTrump,
            "fill": .fill, "overwrite": .overwrite,
        ]
        let (container, id) = try container(kind)
        let context = container.makeContext(ContextOptions(mergePolicy: policies[expected.0]))
        let region = context.insertRegion("New")
        let quake = context.insertQuake("us1", magnitude: 3, in: region)
        let temporary = quake.objectID
        quake.tags.insert(context.insertTag("b"))
        #expect(region.quakes.count == 1)
        try context.save()
        #expect(quake.objectID == id && !context.hasChanges && !quake.isInserted)
        #expect(context.registeredObject(for: temporary) === quake)
        #expect(try context.existingObject(with: id) === quake)
        #expect(Array(context.replacedObjectIDs.values) == [id])
        #expect(try stored(container) == [expected.1])
        let isMoved = expected.1.contains("New")
        #expect(Array(region.quakes) == (isMoved ? [quake] : []))
        #expect(quake.tags.map(\.name).sorted() == ["a", "b"])
        quake.magnitude = 9
        try context.save()
        #expect(context.replacedObjectIDs.isEmpty)
        #expect(try stored(container)[0].hasPrefix("us1 9.0"))
    }

    @Test(
        "Rolling back drops the new object, and what refers to it refers to the stored one",
        arguments: StoreKind.allCases)
    func rollbackDropsTheNewObject(kind: StoreKind) throws {
        let (container, id) = try container(kind)
        let context = container.makeContext(ContextOptions(mergePolicy: .rollback))
        let quake = context.insertQuake("us1", magnitude: 3, in: context.insertRegion("New"))
        quake.tags.insert(context.insertTag("b"))
        try context.save()
        #expect(try stored(container) == ["us1 2.0 20.0 Old a"])
        #expect(context.replacedObjectIDs.values.first == id && !context.hasChanges)
        #expect(try context.quake("us1")?.objectID == id)
        #expect(context.registeredObject(for: id) !== quake)
    }

    @Test(
        "References to an object that folds lead to the stored one", arguments: StoreKind.allCases)
    func referencesFollow(kind: StoreKind) throws {
        for policy in Self.settling {
            let container = try kind.container(Crew.model)
            let first = container.makeContext()
            let club = first.insert("Club", ["name": "chess"])
            let old = first.insert("Person", ["name": "old", "club": club])
            try first.save()
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let twin = context.insert("Club", ["name": "chess"])
            let person = context.insert("Person", ["name": "new", "club": twin])
            let kept = try context.existingObject(with: old.objectID)
            try kept.setValue(context.insert("Club", ["name": "go"]), forKey: "club")
            try context.save()
            #expect((try person.value(forKey: "club") as? ManagedObject)?.objectID == club.objectID)
            let fresh = container.makeContext()
            let saved = try fresh.existingObject(with: club.objectID)
            let people = try #require(try saved.value(forKey: "people") as? [ManagedObject])
            #expect(people.map(\.objectID) == [person.objectID])
            #expect(try fresh.count(for: FetchRequest<ManagedObject>(entityName: "Club")) == 2)
            let members = try context.existingObject(with: club.objectID)
            let here = try #require(try members.value(forKey: "people") as? [ManagedObject])
            #expect(here == [person])
        }
    }

    @Test(
        "An object of the stored row that is registered gives way to the one that was made",
        arguments: StoreKind.allCases)
    func aRegisteredObjectGivesWay(kind: StoreKind) throws {
        let (container, id) = try container(kind)
        let context = container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let known = try #require(try context.quake("us1"))
        let tag = context.insertTag("c")
        known.tags.insert(tag)
        let quake = context.insertQuake("us1", magnitude: 3)
        try context.save()
        #expect(context.registeredObject(for: id) === quake && quake.objectID == id)
        #expect(known.magnitude == 2 && known.objectID == id)
        #expect(Set(quake.tags.map(\.name)) == ["a", "c"] && Array(tag.quakes) == [quake])
        #expect(try stored(container) == ["us1 3.0 nil - ac"])
        #expect(try context.quake("us1") === quake)
    }

    @Test("Of two new objects one survives", arguments: StoreKind.allCases)
    func oneOfTwoNewObjectsSurvives(kind: StoreKind) throws {
        for policy in Self.settling {
            let container = try kind.container()
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let region = context.insertRegion("R")
            let first = context.insertQuake("us1", magnitude: 2, in: region)
            first.depth = 20
            let second = context.insertQuake("us1", magnitude: 3, in: region)
            let others = (0..<3).map { _ in context.insertQuake("us1", magnitude: 4) }
            let temporary = second.objectID
            try context.save()
            let found = try stored(container)
            #expect(found.count == 1 && !context.hasChanges)
            #expect(region.quakes.count <= 1 && context.replacedObjectIDs.count == 4)
            let saved = try #require(try context.quake("us1"))
            #expect(context.registeredObject(for: temporary) === saved)
            #expect(([first, second] + others).filter { $0 === saved }.count == 1)
            #expect(saved.magnitude == (saved === first ? 2 : 4))
        }
    }

    @Test("A nil that was never given erases nothing when new objects are filled")
    func fillKeepsWhatTheOtherNewObjectHas() throws {
        let container = try StoreKind.memory.container()
        let context = container.makeContext(ContextOptions(mergePolicy: .fill))
        let first = context.insertQuake("us1", magnitude: 2)
        first.depth = 20
        _ = context.insertQuake("us1", magnitude: 3)
        try context.save()
        #expect(try stored(container) == ["us1 3.0 20.0 - "])
    }

    @Test("Several new objects fold into one stored row", arguments: StoreKind.allCases)
    func severalNewObjectsFold(kind: StoreKind) throws {
        for policy in Self.settling {
            let (container, id) = try container(kind)
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            for magnitude in 3...5 { _ = context.insertQuake("us1", magnitude: Double(magnitude)) }
            try context.save()
            #expect(try stored(container).count == 1)
            #expect(try context.quake("us1")?.objectID == id)
            #expect(Set(context.replacedObjectIDs.values) == [id])
        }
    }

    @Test(
        "A stored object that takes another one's value gives it back, or takes the other one in",
        arguments: StoreKind.allCases)
    func storedObjects(kind: StoreKind) throws {
        let expected: [[String]] = [
            ["a 5.0 nil R ", "b 2.0 nil R t"], ["b 5.0 nil R t"], ["b 5.0 nil R t"],
            ["b 5.0 nil R t"], ["a 1.0 nil R ", "b 2.0 nil R t"],
        ]
        for (policy, expected) in zip(Self.settling, expected) {
            let container = try kind.container()
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let region = context.insertRegion("R")
            let quake = context.insertQuake("a", magnitude: 1, in: region)
            let other = context.insertQuake("b", magnitude: 2, in: region)
            other.tags.insert(context.insertTag("t"))
            try context.save()
            let (mine, theirs) = (quake.objectID, other.objectID)
            (quake.code, quake.magnitude) = ("b", 5)
            try context.save()
            #expect(try stored(container) == expected)
            let isAbsorbed = expected.count == 1
            #expect(context.replacedObjectIDs == (isAbsorbed ? [theirs: mine] : [:]))
            #expect(region.quakes.count == expected.count && !context.hasChanges)
        }
    }

    @Test(
        "A new object that would be two stored ones is left to the application",
        arguments: StoreKind.allCases)
    func twoStoredObjectsStay(kind: StoreKind) throws {
        let container = try kind.container(Crew.model)
        let context = container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        _ = context.insert("Person", ["name": "a", "badge": 1])
        _ = context.insert("Person", ["name": "b", "badge": 2])
        try context.save()
        let both = context.insert("Person", ["name": "a", "badge": 2])
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.coreDataCode == 133_021 && error.conflicts.count == 2)
        #expect(error.conflicts.allSatisfy { $0.objectID == both.objectID } && both.isInserted)
        try both.setValue("c", forKey: "name")
        try both.setValue(3, forKey: "badge")
        try context.save()
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Person")) == 3)
    }

    @Test(
        "An object of a sub-entity keeps its entity when a new one folds into it",
        arguments: StoreKind.allCases)
    func entitiesDiffer(kind: StoreKind) throws {
        let container = try kind.container(Crew.model)
        let first = container.makeContext()
        let captain = first.insert("Captain", ["name": "a", "ship": "Pinta"])
        try first.save()
        let context = container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let club = context.insert("Club", ["name": "chess"])
        _ = context.insert("Person", ["name": "a", "badge": 7, "club": club])
        try context.save()
        let fresh = container.makeContext()
        let saved = try fresh.existingObject(with: captain.objectID)
        #expect(try saved.value(forKey: "badge") as? Int64 == 7)
        #expect(try saved.value(forKey: "ship") as? String == "Pinta")
        #expect((try saved.value(forKey: "club") as? ManagedObject)?.objectID == club.objectID)
        #expect(try fresh.count(for: FetchRequest<ManagedObject>(entityName: "Person")) == 1)
    }

    @Test("One-to-ones follow a fold on both sides", arguments: StoreKind.allCases)
    func oneToOnesFollow(kind: StoreKind) throws {
        for policy in Self.settling {
            let container = try kind.container(Crew.model)
            let first = container.makeContext()
            let stored = first.insert("Person", ["name": "a"])
            try first.save()
            let context = container.makeContext(ContextOptions(mergePolicy: policy))
            let twin = context.insert("Person", ["name": "a"])
            let friend = context.insert("Person", ["name": "b"])
            try twin.setValue(friend, forKey: "deputy")
            try context.save()
            let fresh = container.makeContext()
            let saved = try fresh.existingObject(with: stored.objectID)
            let deputy = try #require(try saved.value(forKey: "deputy") as? ManagedObject)
            #expect(deputy.objectID == friend.objectID)
            #expect(try deputy.value(forKey: "chief") as? ManagedObject === saved)
        }
    }

    @Test("A failed save leaves the temporary ID leading to the same object")
    func idsOutliveAFailure() throws {
        let (container, id) = try container(.memory)
        let context = container.makeContext()
        let quake = context.insertQuake("us1", magnitude: 3)
        let temporary = quake.objectID
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        let permanent = quake.objectID
        #expect(permanent != id && quake.isInserted)
        try context.resolve(error, using: .fill)
        #expect(quake.objectID == id)
        for old in [temporary, permanent] { #expect(context.registeredObject(for: old) === quake) }
        #expect(try context.existingObject(with: permanent) === quake)
        try context.save()
        #expect(context.replacedObjectIDs == [permanent: id])
        context.reset()
        #expect(throws: ContextError.self) { try context.existingObject(with: permanent) }
    }
}

/// Entities with two constraints, a sub-entity and a one-to-one.
enum Crew {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Person",
                    attributes: [
                        AttributeDescription("name", .string),
                        AttributeDescription("badge", .integer64, isOptional: true),
                    ],
                    relationships: [
                        .toOne("club", destination: "Club", inverse: "people"),
                        .toOne("deputy", destination: "Person", inverse: "chief"),
                        .toOne("chief", destination: "Person"),
                    ], uniquenessConstraints: [["name"], ["badge"]]),
                EntityDescription(
                    name: "Captain", superentity: "Person",
                    attributes: [AttributeDescription("ship", .string, isOptional: true)]),
                EntityDescription(
                    name: "Club", attributes: [AttributeDescription("name", .string)],
                    relationships: [.toMany("people", destination: "Person")],
                    uniquenessConstraints: [["name"]]),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()
}
