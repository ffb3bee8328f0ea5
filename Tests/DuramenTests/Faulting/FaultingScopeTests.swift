import Duramen
import Testing

struct FaultingScopeTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try makeContainer()
        try container.fillWithQuakes(regions: 4, quakesPerRegion: 2, tags: 2)
        context = container.makeContext()
    }

    @Test("A forbidden fault names object and property, and is over with its scope")
    func forbiddenAttribute() throws {
        let quakes = try context.fetch(FetchRequest<Quake>())
        let region = try #require(quakes[0].region)
        var told: [any Error] = []
        context.onFaultFailure = { _, error in told.append(error) }
        let before = container.persistentStoreCoordinator.faultCount
        let error = #expect(throws: ContextError.self) {
            try context.faulting(.forbidden) {
                // What was fetched can be read.
                #expect(!quakes[0].code.isEmpty)
                #expect(region.name == "")
            }
        }
        #expect(error?.code == .faultingForbidden && error?.objectID == region.objectID)
        #expect(error?.message.contains("'Region.name'") == true)
        #expect(told.count == 1 && container.persistentStoreCoordinator.faultCount == before)
        #expect(region.isFault && region.faultError == nil)
        #expect(region.name.hasPrefix("R"))
        quakes[0].magnitude = 5
        try context.save()
    }

    @Test("What can throw throws at once") func forbiddenLoad() throws {
        let region = try #require(try context.fetch(FetchRequest<Quake>())[0].region)
        try context.faulting(.forbidden) {
            for read in [{ try region.load() }, { _ = try region.value(\Region.name) }] {
                let error = #expect(throws: ContextError.self) { try read() }
                #expect(error?.code == .faultingForbidden)
            }
            // Asking by ID is no fault.
            let found = try context.existingObject(with: region.objectID)
            #expect(found === region)
            #expect(!region.name.isEmpty)
        }
    }

    @Test("Members that are not known are a fault; a fetch is none") func forbiddenToMany() throws {
        let region = try #require(try context.fetch(FetchRequest<Region>()).first)
        let error = #expect(throws: ContextError.self) {
            try context.faulting(.forbidden) {
                #expect(region.quakes.isEmpty)
                let count = try context.fetch(FetchRequest<Quake>()).count
                #expect(count == 8)
            }
        }
        #expect(error?.message.contains("'Region.quakes'") == true)
        #expect(region.quakes.count == 2)
    }

    @Test("Saving and delete rules read what they need where faults are forbidden")
    func savesAreAllowed() throws {
        let region = try #require(try context.fetch(FetchRequest<Region>()).first)
        let name = region.name
        try context.faulting(.forbidden) {
            context.delete(region)
            try context.save()
        }
        #expect(try context.count(for: FetchRequest<Quake>()) == 6)
        #expect(try context.count(for: FetchRequest<Region>().where { $0.name == name }) == 0)
    }

    @Test("The inner scope counts") func nesting() throws {
        let quakes = try context.fetch(FetchRequest<Quake>())
        let (first, second) = (
            try #require(quakes.first?.region), try #require(quakes.last?.region)
        )
        try context.faulting(.forbidden) {
            try context.faulting(.allowed) { #expect(!first.name.isEmpty) }
        }
        let tags = try context.fetch(FetchRequest<Tag>())
        #expect(throws: ContextError.self) {
            try context.faulting(.allowed) {
                try context.faulting(.forbidden) { #expect(tags[0].quakes.isEmpty) }
            }
        }
        #expect(!second.name.isEmpty)
    }

    @Test("An error of the closure passes, and the scope ends with it") func closureThrows() throws
    {
        struct Failure: Error {}
        let region = try #require(try context.fetch(FetchRequest<Quake>())[0].region)
        #expect(throws: Failure.self) {
            try context.faulting(.forbidden) {
                #expect(region.name == "")
                throw Failure()
            }
        }
        #expect(!region.name.isEmpty)
    }

    @Test("Reported faults say what was read, and for how many objects") func reported() throws {
        let quakes = try context.fetch(FetchRequest<Quake>())
        var trips: [RoundTrip] = []
        let names = try context.faulting(.reported { trips.append($0) }) {
            quakes.compactMap { $0.region?.name } + quakes.flatMap { $0.tags.map(\.name) }
        }
        #expect(names.count == 16)
        #expect(trips.map(\.propertyName) == ["name", "tags", "name"])
        #expect(trips.map(\.entityName) == ["Region", "Quake", "Tag"])
        #expect(trips.map(\.objectCount) == [4, 8, 2])
        #expect(trips.allSatisfy { $0.reason == .fault && $0.objectID != nil })
        #expect(trips[0].description == "fault of 'Region.name', 4 objects")
    }

    @Test("A budget of round trips counts fetches, groups of faults and saves") func budget() throws
    {
        let walk = { [context] in
            for quake in try context.fetch(FetchRequest<Quake>()) {
                quake.magnitude += Double(quake.region?.name.utf8.count ?? 0)
            }
            try context.save()
        }
        try context.expectRoundTrips(atMost: 3, walk)
        let other = container.makeContext()
        let error = #expect(throws: ContextError.self) {
            try other.expectRoundTrips(atMost: 2) {
                for id in try other.fetchObjectIDs(FetchRequest<Quake>()) {
                    _ = try other.existingObject(with: id)
                }
            }
        }
        #expect(error?.code == .tooManyRoundTrips)
        #expect(error?.message.contains("8 × lookUp of 'Quake', 1 × fetch of 'Quake'") == true)
        // In memory by now.
        try context.expectRoundTrips(atMost: 0) {
            #expect(context.registeredObjects.count >= 0)
        }
    }

    @Test("A budget around a budget counts both, and other contexts count for themselves")
    func nestedBudgets() throws {
        let other = container.makeContext()
        try context.expectRoundTrips(atMost: 2) {
            try context.expectRoundTrips(atMost: 1) {
                _ = try context.count(for: FetchRequest<Quake>())
            }
            _ = try context.count(for: FetchRequest<Tag>())
            _ = try other.fetch(FetchRequest<Tag>())
        }
        #expect(throws: ContextError.self) {
            try context.expectRoundTrips(atMost: 1) {
                try context.expectRoundTrips(atMost: 1) {
                    _ = try context.count(for: FetchRequest<Quake>())
                }
                _ = try context.count(for: FetchRequest<Tag>())
            }
        }
    }

    @Test("Lazy results are not read where faults are forbidden") func lazyResults() throws {
        let quakes = try context.fetchLazily(FetchRequest<Quake>().batches(of: 2))
        #expect(throws: ContextError.self) {
            try context.faulting(.forbidden) { #expect(quakes[0].code == "") }
        }
        #expect(quakes[0].code == "q0")
    }
}
