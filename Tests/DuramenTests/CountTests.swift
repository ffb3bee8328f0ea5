import Duramen
import Testing

/// Minimum and maximum counts of to-manys, on every store.
@MainActor struct CountTests {
    /// Crews of two to four sailors, or none; ships of one sailor at least; harbours of two ships
    /// at most.
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Crew",
                    relationships: [
                        .toMany(
                            "sailors", destination: "Sailor", inverse: "crew", minimumCount: 2,
                            maximumCount: 4)
                    ]),
                EntityDescription(
                    name: "Ship",
                    attributes: [AttributeDescription("name", .string, isOptional: true)],
                    relationships: [
                        .toMany(
                            "sailors", destination: "Sailor", isOptional: false, inverse: "ships",
                            minimumCount: 1),
                        .toMany("harbours", destination: "Harbour", inverse: "ships"),
                    ]),
                EntityDescription(
                    name: "Harbour",
                    relationships: [.toMany("ships", destination: "Ship", maximumCount: 2)]),
                EntityDescription(
                    name: "Sailor",
                    relationships: [
                        .toOne("crew", destination: "Crew"), .toMany("ships", destination: "Ship"),
                    ]),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    private func failures(_ context: ManagedObjectContext) throws -> [ValidationError.Failure] {
        try #require(throws: ValidationError.self) { try context.save() }.failures
    }

    @Test(arguments: StoreKind.allCases)
    func anOptionalToManyIsEmptyOrWithinItsCounts(kind: StoreKind) throws {
        let context = try kind.container(Self.model).viewContext
        let crew = context.insert("Crew")
        try context.save()
        let sailors = (0..<5).map { _ in context.insert("Sailor") }
        try context.save()
        // The owner has no changes of its own when its members come and go.
        for count in 1...5 {
            try sailors[count - 1].setValue(crew, forKey: "crew")
            if (2...4).contains(count) {
                try context.save()
                continue
            }
            let found = try failures(context)
            #expect(found.map(\.code) == [count < 2 ? .tooFewObjects : .tooManyObjects])
            #expect(found.map(\.objectID) == [crew.objectID])
            #expect(found.map(\.property) == ["sailors"])
            #expect(found.map(\.code.rawValue) == [count < 2 ? 1580 : 1590])
        }
        // None is as good as two, one is not.
        for sailor in sailors { try sailor.setValue(nil, forKey: "crew") }
        try context.save()
        try sailors[0].setValue(crew, forKey: "crew")
        #expect(try failures(context).map(\.code) == [.tooFewObjects])
    }

    @Test(arguments: StoreKind.allCases)
    func aNewObjectWithoutItsMinimumIsRefused(kind: StoreKind) throws {
        let context = try kind.container(Self.model).viewContext
        let ship = context.insert("Ship")
        #expect(try failures(context).map(\.objectID) == [ship.objectID])
        try ship.setValue([context.insert("Sailor")], forKey: "sailors")
        try context.save()
    }

    /// Core Data compiles it as a minimum of 0.
    @Test(arguments: StoreKind.allCases)
    func aMandatoryToManyWithoutAMinimumMayBeEmpty(kind: StoreKind) throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Album",
                relationships: [
                    .toMany("songs", destination: "Song", isOptional: false, inverse: "album")
                ]),
            EntityDescription(
                name: "Song", relationships: [.toOne("album", destination: "Album")]),
        ])
        let context = try kind.container(model).viewContext
        let album = context.insert("Album")
        try context.save()
        let song = context.insert("Song", ["album": album])
        try context.save()
        try song.setValue(nil, forKey: "album")
        try context.save()
        #expect(try context.count(for: .all("Album")) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func deletedMembersCountNoMore(kind: StoreKind) throws {
        let context = try kind.container(Self.model).viewContext
        let sailor = context.insert("Sailor")
        let ship = context.insert("Ship")
        try ship.setValue([sailor], forKey: "sailors")
        try context.save()
        context.delete(sailor)
        let found = try failures(context)
        #expect(found.map(\.code) == [.tooFewObjects])
        #expect(found.map(\.objectID) == [ship.objectID])
        // Who goes too needs nobody.
        context.delete(ship)
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func bothSidesOfAManyToManyAreCounted(kind: StoreKind) throws {
        let context = try kind.container(Self.model).viewContext
        let sailor = context.insert("Sailor")
        let harbour = context.insert("Harbour")
        let ships = (0..<3).map { _ in context.insert("Ship") }
        for ship in ships {
            try ship.setValue([sailor], forKey: "sailors")
            // From the side without limits.
            try ship.setValue([harbour], forKey: "harbours")
        }
        let found = try failures(context)
        #expect(found.map(\.code) == [.tooManyObjects])
        #expect(found.map(\.objectID) == [harbour.objectID])
        #expect(found.map(\.message).allSatisfy { $0.contains("3 objects and takes 2") })
        try ships[1].setValue([ManagedObject](), forKey: "harbours")
        try context.save()
    }

    @Test func allFailuresOfASaveAreListed() throws {
        let context = try StoreKind.memory.container(Self.model).viewContext
        let ships = (0..<3).map { _ in context.insert("Ship") }
        #expect(Set(try failures(context).map(\.objectID)) == Set(ships.map(\.objectID)))
    }
}
