import Duramen
import Testing

/// What a request says of the objects that it gives, on every store.
struct FetchOptionTests {
    @Test(
        "Without property values, a fetch reads IDs, and values come in groups",
        arguments: StoreKind.allCases)
    func withoutPropertyValues(kind: StoreKind) throws {
        let container = try kind.container()
        try container.fillWithQuakes(regions: 50, quakesPerRegion: 30, tags: 3)
        let context = container.makeContext()
        var request = FetchRequest<Quake>().where { $0.magnitude == 1 }
        request.includesPropertyValues = false
        var quakes: [Quake] = []
        var statements = try container.statements { quakes = try context.fetch(request) }
        #expect(statements == 1 && quakes.count == 1_500 && quakes.allSatisfy { $0.isFault })
        statements = container.statements { #expect(quakes.allSatisfy { $0.magnitude == 1 }) }
        #expect(statements == 3)
        // What is in memory keeps its values.
        quakes[0].magnitude = 2
        #expect(try context.fetch(request).count == 1_499)
        #expect(quakes[0].magnitude == 2)
    }

    @Test("Results that must not be faults have all values", arguments: StoreKind.allCases)
    func noFaults(kind: StoreKind) throws {
        let container = try kind.container()
        try container.fillWithQuakes(regions: 3, quakesPerRegion: 4, tags: 3)
        let context = container.makeContext()
        var request = FetchRequest<Quake>().fetchingOnly(\.code)
        request.returnsObjectsAsFaults = false
        var quakes = try context.fetch(request)
        #expect(quakes.count == 12 && !quakes.contains { $0.isFault })
        let other = container.makeContext()
        request.propertiesToFetch = []
        request.includesPropertyValues = false
        quakes = try other.fetch(request)
        #expect(quakes.count == 12 && !quakes.contains { $0.isFault })
        // Also where unsaved changes take part.
        _ = other.insertQuake("new")
        try other.refresh(quakes[0], mergeChanges: false)
        #expect(try other.fetch(request).count == 13 && !quakes[0].isFault)
    }

    @Test("A refetch refreshes unchanged values, and keeps edits", arguments: StoreKind.allCases)
    func refetching(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { context in
            let region = context.insertRegion("R")
            for code in ["a", "b", "c"] { _ = context.insertQuake(code, magnitude: 1, in: region) }
        }
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        var request = FetchRequest<Quake>().sorted(by: \.code)
        let quakes = try context.fetch(request)
        let region = try #require(quakes[0].region)
        #expect(region.quakes.count == 3)
        quakes[1].depth = 5
        try container.saveElsewhere { context in
            for quake in try context.fetch(FetchRequest<Quake>()) { quake.magnitude = 2 }
            try #require(try context.quake("c")).region = nil
        }
        _ = try context.fetch(request)
        #expect(quakes.map(\.magnitude) == [1, 1, 1])
        request.shouldRefreshRefetchedObjects = true
        #expect(try context.fetch(request) == quakes)
        #expect(quakes.map(\.magnitude) == [2, 2, 2])
        #expect(quakes[1].depth == 5 && quakes[1].isUpdated && !quakes[0].hasChanges)
        #expect(quakes[2].region == nil && region.quakes.count == 2)
        // The edit is one of the values that are stored now.
        try context.save()
        let other = container.makeContext()
        let stored = try #require(try other.quake("b"))
        #expect(stored.depth == 5 && stored.magnitude == 2)
    }

    @Test("A refetch does not hide a conflict", arguments: StoreKind.allCases)
    func conflictAfterRefetch(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { _ = $0.insertQuake("a", magnitude: 1) }
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        let quake = try #require(try context.quake("a"))
        quake.magnitude = 5
        try container.saveElsewhere { try #require(try $0.quake("a")).magnitude = 2 }
        var request = FetchRequest<Quake>()
        request.shouldRefreshRefetchedObjects = true
        #expect(try context.fetch(request) == [quake] && quake.magnitude == 5)
        #expect(throws: SaveConflictError.self) { try context.save() }
        context.rollback()
        #expect(quake.magnitude == 2)
    }

    @Test("Sub-entities are left out when they are not wanted", arguments: StoreKind.allCases)
    func subentities(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { context in
            let region = context.insertRegion("R")
            for number in 0..<6 {
                let station =
                    number % 2 == 0 ? Station(context: context) : OceanStation(context: context)
                station.callSign = "s\(number)"
                station.region = region
            }
        }
        let context = container.makeContext()
        let all = FetchRequest<Station>().sorted(by: \.callSign)
        var own = all
        own.includesSubentities = false
        #expect(try context.fetch(own).map(\.callSign) == ["s0", "s2", "s4"])
        #expect(try context.fetchLazily(own).map(\.callSign) == ["s0", "s2", "s4"])
        #expect(try context.fetchObjectIDs(own).count == 3 && context.count(for: own) == 3)
        #expect(try context.fetch(own.fetchingOnly(\.callSign)).count == 3)
        #expect(try context.fetch(all).count == 6)
        // The same with changes that are not saved.
        let new = OceanStation(context: context)
        new.callSign = "s9"
        #expect(try context.fetch(own).count == 3 && context.fetch(all).count == 7)
    }
}
