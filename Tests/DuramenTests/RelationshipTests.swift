import Duramen
import Testing

@MainActor
struct RelationshipTests {
    let container: PersistentContainer
    let context: ManagedObjectContext

    init() throws {
        container = try makeContainer()
        context = container.viewContext
    }

    @Test func bothSidesFollowAtOnce() throws {
        let north = context.insertRegion("North")
        let south = context.insertRegion("South")
        let quake = context.insertQuake("us1", in: north)
        #expect(Array(north.quakes) == [quake])
        quake.region = south
        #expect(north.quakes.isEmpty)
        #expect(south.quakes.contains(quake))
        south.quakes.remove(quake)
        #expect(quake.region == nil)
        north.quakes.insert(quake)
        #expect(quake.region === north)
    }

    @Test func bothSidesFollowAfterASaveAndAReset() throws {
        let north = context.insertRegion("North")
        for number in 0..<5 { _ = context.insertQuake("us\(number)", in: north) }
        try context.save()
        #expect(north.quakes.count == 5)
        context.reset()
        let again = try #require(try context.fetch(FetchRequest<Region>()).first)
        #expect(again.quakes.count == 5)
        let quake = try #require(try context.quake("us3"))
        quake.region = nil
        #expect(again.quakes.count == 4)
        #expect(!again.quakes.contains(quake))
        try context.save()
        #expect(again.quakes.count == 4)
    }

    @Test func manyToManyFollowsOnBothSides() throws {
        let quake = context.insertQuake("us1")
        let felt = context.insertTag("felt")
        let large = context.insertTag("large")
        quake.tags.insert(felt)
        large.quakes.insert(quake)
        #expect(Set(quake.tags) == [felt, large])
        try context.save()
        context.reset()
        let again = try #require(try context.quake("us1"))
        #expect(again.tags.map(\.name).sorted() == ["felt", "large"])
        let tag = try #require(again.tags.first { $0.name == "felt" })
        again.tags.remove(tag)
        #expect(tag.quakes.isEmpty)
        try context.save()
        context.reset()
        #expect(try context.quake("us1")?.tags.count == 1)
    }

    @Test func oneToOneMovesBothPartners() throws {
        let region = context.insertRegion("North")
        let stations = (0..<3).map { number in
            let station = Station(context: context)
            station.callSign = "S\(number)"
            station.region = region
            return station
        }
        stations[0].backup = stations[1]
        #expect(stations[1].backupOf === stations[0])
        stations[2].backup = stations[1]
        #expect(stations[0].backup == nil)
        #expect(stations[1].backupOf === stations[2])
        try context.save()
        context.reset()
        let again = try context.fetch(FetchRequest<Station>().sorted(by: \.callSign))
        #expect(again[1].backupOf === again[2])
        #expect(again[2].backup === again[1])
        #expect(again[0].backup == nil)
    }

    @Test func aPolymorphicToOneLeadsToTheSubentity() throws {
        let region = context.insertRegion("Sea")
        let land = Station(context: context)
        land.callSign = "L"
        land.region = region
        let ocean = OceanStation(context: context)
        ocean.callSign = "O"
        ocean.region = region
        ocean.waterDepth = 4000
        land.backup = ocean
        try context.save()
        context.reset()
        let again = try #require(
            try context.fetch(FetchRequest<Station>().where { $0.callSign == "L" }).first)
        let backup = try #require(again.backup as? OceanStation)
        #expect(backup.waterDepth == 4000)
        #expect(try context.fetch(FetchRequest<Region>()).first?.stations.count == 2)
    }

    @Test func cascadeAndNullifyReachEveryObject() throws {
        let north = context.insertRegion("North")
        let tag = context.insertTag("felt")
        for number in 0..<10 {
            context.insertQuake("us\(number)", in: north).tags.insert(tag)
        }
        let other = context.insertQuake("other")
        other.tags.insert(tag)
        try context.save()
        context.reset()
        let region = try #require(try context.fetch(FetchRequest<Region>()).first)
        context.delete(region)
        #expect(try context.count(for: FetchRequest<Quake>()) == 1)
        try context.save()
        context.reset()
        #expect(try context.fetch(FetchRequest<Quake>()).map(\.code) == ["other"])
        #expect(try context.fetch(FetchRequest<Tag>()).first?.quakes.count == 1)
    }

    @Test func denyFailsTheSaveWhileADestinationRemains() throws {
        let region = context.insertRegion("North")
        let station = Station(context: context)
        station.callSign = "S"
        station.region = region
        try context.save()
        context.delete(region)
        do {
            try context.save()
            Issue.record("the save succeeded")
        } catch let error as ValidationError {
            #expect(error.failures.contains { $0.code == .relationshipDeniedDelete })
        }
        context.rollback()
        #expect(station.region === region)
        context.delete(region)
        context.delete(station)
        try context.save()
        #expect(try context.count(for: FetchRequest<Station>()) == 0)
    }

    @Test func aDeletedNewObjectLeavesNoTrace() throws {
        let region = context.insertRegion("North")
        let quake = context.insertQuake("us1", in: region)
        context.delete(quake)
        context.processPendingChanges()
        #expect(region.quakes.isEmpty)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test func walkingAToOneReadsAGroupPerStatement() throws {
        let background = container.newBackgroundContext()
        try background.performAndWait { context in
            for number in 0..<600 {
                let region = context.insertRegion("R\(number)")
                _ = context.insertQuake("us\(number)", in: region)
            }
            try context.save()
        }
        let quakes = try context.fetch(FetchRequest<Quake>())
        let before = container.persistentStoreCoordinator.faultCount
        let names = quakes.compactMap { $0.region?.name }
        #expect(Set(names).count == 600)
        #expect(container.persistentStoreCoordinator.faultCount - before <= 1 + 600 / 500 + 1)
    }

    @Test func walkingAToManyReadsAGroupPerStatement() throws {
        let background = container.newBackgroundContext()
        try background.performAndWait { context in
            for number in 0..<50 {
                let region = context.insertRegion("R\(number)")
                for index in 0..<3 { _ = context.insertQuake("us\(number)-\(index)", in: region) }
            }
            try context.save()
        }
        let regions = try context.fetch(FetchRequest<Region>())
        let before = container.persistentStoreCoordinator.faultCount
        let magnitudes = regions.flatMap { $0.quakes.map(\.magnitude) }
        #expect(magnitudes.count == 150)
        // One statement for the members of all regions, and one for each walk over new faults.
        #expect(container.persistentStoreCoordinator.faultCount - before <= 2)
    }
}
