import Duramen
import Foundation
import Testing

/// Faults come in groups, whichever way a walk takes; counted are the store's statements.
///
/// `DURAMEN_WALK_REGIONS` sets the size of the walk over three levels; 8,000 make 100,000 objects.
struct FaultGroupTests {
    @Test(
        "A walk over three levels costs queries per level and group", arguments: StoreKind.allCases)
    func threeLevels(kind: StoreKind) throws {
        let container = try kind.container()
        let environment = ProcessInfo.processInfo.environment
        let regions = environment["DURAMEN_WALK_REGIONS"].flatMap(Int.init) ?? 600
        try container.fillWithQuakes(
            regions: regions, quakesPerRegion: 10, tags: regions * 3 / 2)
        let context = container.makeContext()
        var names = Set<String>()
        var magnitudes = 0.0
        let statements = try container.statements {
            for region in try context.fetch(FetchRequest<Region>()) {
                for quake in region.quakes {
                    magnitudes += quake.magnitude
                    for tag in quake.tags { names.insert(tag.name) }
                }
            }
        }
        #expect(names.count == regions * 3 / 2)
        #expect(magnitudes == Double(regions * 10))
        func groups(_ count: Int) -> Int { (count + 499) / 500 }
        // The fetch; lists and rows of the quakes, and of the tags.
        let ideal =
            1 + groups(regions) + groups(regions * 10) * 2 + groups(regions * 3 / 2)
        print("\(kind): \(statements) statements, \(ideal) at best")
        #expect(statements <= ideal + ideal / 4)
    }

    @Test("A walk over to-ones costs queries per level and group", arguments: StoreKind.allCases)
    func toOnes(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { context in
            for number in 0..<2_000 {
                let region = context.insertRegion("R\(number)")
                _ = context.insertQuake("q\(number)", in: region)
                let station = Station(context: context)
                station.callSign = "S\(number)"
                station.region = region
                let backup = OceanStation(context: context)
                backup.callSign = "B\(number)"
                backup.region = region
                station.backup = backup
            }
        }
        let context = container.makeContext()
        var names = Set<String>()
        let statements = try container.statements {
            let stations = FetchRequest<Station>().where { $0.backup.callSign != nil }
            for station in try context.fetch(stations) {
                names.insert(station.backup?.callSign ?? "")
                names.insert(station.backup?.region?.name ?? "")
            }
        }
        #expect(names.count == 4_000)
        #expect(statements <= 1 + 4 + 4 + 2)
    }

    @Test(
        "To-manys of objects that nothing was read of come in groups", arguments: StoreKind.allCases
    )
    func listsOfFaults(kind: StoreKind) throws {
        let container = try kind.container()
        try container.fillWithQuakes(regions: 400, quakesPerRegion: 3, tags: 20)
        let context = container.makeContext()
        let quakes = try context.fetch(FetchRequest<Quake>())
        // Over a to-one: no region is read.
        var statements = container.statements {
            #expect(quakes.allSatisfy { $0.region?.quakes.count == 3 })
        }
        #expect(statements <= 3)
        #expect(quakes.allSatisfy { $0.region?.isFault == true })
        // Over a to-many: no quake is read.
        let other = container.makeContext()
        let regions = try other.fetch(FetchRequest<Region>())
        statements = container.statements {
            #expect(regions.flatMap(\.quakes).map(\.tags.count).reduce(0, +) == 1_200)
        }
        #expect(statements <= 1 + 3 + 1)
        #expect(regions.allSatisfy { $0.quakes.allSatisfy { $0.isFault } })
    }

    @Test(
        "A group is what was fetched, not what was looked at for it", arguments: StoreKind.allCases)
    func filteredFetch(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { context in
            for number in 0..<3_000 {
                let quake = context.insertQuake("q\(number)", magnitude: Double(number % 100))
                quake.region = context.insertRegion("R\(number)")
            }
        }
        let context = container.makeContext()
        // No store answers a condition that a residual is left of better than row by row.
        let request = FetchRequest<Quake>().where { $0.magnitude == 7 }.sorted(by: \.code)
        let quakes = try context.fetch(request)
        let rows = container.store.counters.rowsDecoded
        let statements = container.statements {
            #expect(Set(quakes.compactMap { $0.region?.name }).count == 30)
        }
        #expect(statements == 1)
        #expect(container.store.counters.rowsDecoded - rows == 30)
    }

    @Test(
        "A walk that begins in the middle, or goes backwards, takes groups along",
        arguments: StoreKind.allCases)
    func otherWays(kind: StoreKind) throws {
        let container = try kind.container()
        try container.fillWithQuakes(regions: 100, quakesPerRegion: 30, tags: 10)
        let context = container.makeContext()
        let regions = try context.fetch(FetchRequest<Region>())
        let statements = container.statements {
            for region in regions.reversed() {
                for quake in region.quakes.reversed() { #expect(quake.magnitude == 1) }
            }
        }
        #expect(statements <= 1 + 100)
        let other = container.makeContext()
        let again = try other.fetch(FetchRequest<Region>())
        let half = container.statements {
            for region in again.dropFirst(50) {
                for quake in region.quakes.dropFirst(20) { #expect(quake.magnitude == 1) }
            }
        }
        #expect(half <= 1 + 10)
    }

    @Test(
        "Members that are new, deleted or of this walk only once belong to it",
        arguments: StoreKind.allCases)
    func changesTakePart(kind: StoreKind) throws {
        let container = try kind.container()
        try container.fillWithQuakes(regions: 10, quakesPerRegion: 5, tags: 3)
        let context = container.makeContext()
        let regions = try context.fetch(FetchRequest<Region>().sorted(by: \.name))
        let first = regions[0]
        let new = context.insertQuake("new", in: first)
        let moved = try #require(regions[1].quakes.first)
        moved.region = first
        context.delete(try #require(first.quakes.first { $0 !== new && $0 !== moved }))
        context.processPendingChanges()
        #expect(first.quakes.count == 6)
        #expect(Set(first.quakes.map(\.code)).contains("new"))
        #expect(first.quakes.contains(moved) && regions[1].quakes.count == 4)
        #expect(regions.flatMap { $0.quakes.map(\.magnitude) }.count == 50)
    }
}

extension PersistentContainer {
    /// The first store.
    var store: any PersistentStore { persistentStoreCoordinator.store }

    /// How many statements the store ran meanwhile.
    func statements(_ body: () throws -> Void) rethrows -> Int {
        let before = store.counters.statements
        try body()
        return store.counters.statements - before
    }

    /// Saves regions, their quakes, of magnitude 1, and tags, one for each quake in turn.
    func fillWithQuakes(regions: Int, quakesPerRegion: Int, tags: Int) throws {
        try saveElsewhere { context in
            let tags = (0..<tags).map { context.insertTag("t\($0)") }
            var number = 0
            for place in 0..<regions {
                let region = context.insertRegion("R\(place)")
                for _ in 0..<quakesPerRegion {
                    let quake = context.insertQuake("q\(number)", in: region)
                    quake.tags.insert(tags[number % tags.count])
                    number += 1
                }
            }
        }
    }
}
