import Duramen
import Testing

struct PrefetchingTests {
    @Test("What is prefetched can be read without the store", arguments: StoreKind.allCases)
    func nothingIsLeftToRead(kind: StoreKind) throws {
        let container = try kind.container()
        try container.fillWithQuakes(regions: 60, quakesPerRegion: 20, tags: 50)
        let context = container.makeContext()
        var quakes: [Quake] = []
        let statements = try container.statements {
            quakes = try context.fetch(
                FetchRequest<Quake>().prefetching(\.region, \.quakes).prefetching(\.tags))
        }
        // The quakes; the regions, and their lists; three groups of lists of tags, and the tags.
        #expect(statements == 1 + 2 + 3 + 1)
        try context.faulting(.forbidden) {
            #expect(Set(quakes.compactMap { $0.region?.name }).count == 60)
            #expect(quakes.allSatisfy { $0.region?.quakes.count == 20 && $0.tags.count == 1 })
            #expect(Set(quakes.flatMap { $0.tags.map(\.name) }).count == 50)
        }
    }

    @Test("Rows behind a to-many come with its lists", arguments: StoreKind.allCases)
    func membersAreRead(kind: StoreKind) throws {
        let container = try kind.container()
        try container.fillWithQuakes(regions: 40, quakesPerRegion: 30, tags: 5)
        let context = container.makeContext()
        var regions: [Region] = []
        let statements = try container.statements {
            var request = FetchRequest<Region>()
            request.relationshipKeyPathsForPrefetching = ["quakes.tags"]
            regions = try context.fetch(request)
        }
        // The regions; their lists, and 1,200 quakes in three groups; three groups of lists, and
        // the tags.
        #expect(statements == 1 + (1 + 3) + (3 + 1))
        try context.faulting(.forbidden) {
            for region in regions {
                #expect(region.quakes.map(\.magnitude).reduce(0, +) == 30)
                #expect(region.quakes.allSatisfy { $0.tags.allSatisfy { !$0.name.isEmpty } })
            }
        }
    }

    @Test("Prefetching follows unsaved changes", arguments: StoreKind.allCases)
    func unsavedChanges(kind: StoreKind) throws {
        let container = try kind.container()
        try container.fillWithQuakes(regions: 2, quakesPerRegion: 2, tags: 2)
        try container.saveElsewhere { _ = $0.insertRegion("far") }
        let context = container.makeContext()
        let far = try #require(
            try context.fetchObjectIDs(FetchRequest<Region>().where { $0.name == "far" }).first)
        let new = context.insertQuake("new", in: context.insertRegion("near"))
        let edited = try #require(try context.quake("q0"))
        edited.region = context.object(with: far, as: Region.self)
        let quakes = try context.fetch(FetchRequest<Quake>().prefetching(\.region, \.quakes))
        #expect(quakes.count == 5)
        try context.faulting(.forbidden) {
            #expect(new.region?.name == "near" && edited.region?.name == "far")
            #expect(edited.region.map { Array($0.quakes) } == [edited])
        }
    }

    @Test("An object of a sub-entity is prefetched as such", arguments: StoreKind.allCases)
    func subentities(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { context in
            let region = context.insertRegion("R")
            let station = OceanStation(context: context)
            station.callSign = "deep"
            station.waterDepth = 900
            station.region = region
            let other = Station(context: context)
            other.callSign = "shore"
            other.region = region
            other.backup = station
        }
        let context = container.makeContext()
        let regions = try context.fetch(FetchRequest<Region>().prefetching(\.stations, \.backup))
        try context.faulting(.forbidden) {
            let stations = try #require(regions.first?.stations)
            #expect(Set(stations.map(\.callSign)) == ["deep", "shore"])
            #expect(stations.compactMap { $0.backup as? OceanStation }.map(\.waterDepth) == [900])
        }
    }

    @Test("What leads nowhere costs nothing", arguments: StoreKind.allCases)
    func nothingToRead(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { _ = $0.insertQuake("alone") }
        let context = container.makeContext()
        let statements = try container.statements {
            _ = try context.fetch(FetchRequest<Quake>().prefetching(\.region, \.stations))
        }
        #expect(statements == 1)
    }

    @Test(
        "A name that is none of a relationship is refused before anything is read",
        arguments: ["stations", "code", "region.name", "region..quakes", ""])
    func wrongNames(path: String) throws {
        let container = try makeContainer()
        let context = container.makeContext()
        var request = FetchRequest<Quake>()
        request.relationshipKeyPathsForPrefetching = [path]
        let statements = container.statements {
            let error = #expect(throws: ContextError.self) { try context.fetch(request) }
            #expect(error?.code == .unknownName)
            #expect(error?.message.contains("'\(path)'") == true)
            #expect(throws: ContextError.self) { try context.fetchLazily(request) }
        }
        #expect(statements == 0)
    }

    @Test("Paths of any length are followed or refused", arguments: StoreKind.allCases)
    func longPaths(kind: StoreKind) throws {
        let container = try kind.container()
        try container.fillWithQuakes(regions: 1, quakesPerRegion: 1, tags: 1)
        let context = container.makeContext()
        for steps in [2, 128, 130, 3_000] {
            let path = Array(repeating: ["region", "quakes"], count: steps / 2).flatMap { $0 }
                .joined(separator: ".")
            var request = FetchRequest<Quake>()
            request.relationshipKeyPathsForPrefetching = [path]
            if steps <= 128 {
                #expect(try context.fetch(request).count == 1)
            } else {
                #expect(contextErrorCode { try context.fetch(request) } == .invalidRequest)
            }
            let sorted = FetchRequest<Quake>().sorted(by: FetchSortDescriptor(path))
            #expect(throws: (any Error).self) { try context.fetch(sorted) }
            #expect(throws: (any Error).self) {
                try context.fetch(FetchRequest<Quake>().where(.keyPath(path, .equal, 1)))
            }
            let controller = FetchedResultsController(
                fetchRequest: sorted, managedObjectContext: context, sectionNameKeyPath: path)
            #expect(throws: (any Error).self) { try controller.performFetch() }
        }
    }
}
