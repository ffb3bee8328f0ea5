import Duramen
import DuramenTestKit
import Testing

/// Fetches see unsaved changes, and their windows count the list as it would be after a save.
@MainActor
@Suite(.serialized)
struct PendingFetchTests {
    private func strong() -> FetchRequest<Quake> {
        FetchRequest<Quake>().where { $0.magnitude >= 5 }.sorted(by: \.magnitude)
    }

    /// Saved a1…a6 with magnitudes 1…6, then one edited in, one out, one deleted and one new.
    private func edited(_ kind: StoreKind) throws -> ManagedObjectContext {
        let context = try kind.container().viewContext
        let quakes = (1...8).map { context.insertQuake("a\($0)", magnitude: Double($0)) }
        try context.save()
        quakes[0].magnitude = 6.5
        quakes[5].magnitude = 2
        context.delete(quakes[6])
        _ = context.insertQuake("new", magnitude: 5.5)
        _ = context.insertQuake("weak", magnitude: 0.5)
        return context
    }

    @Test(arguments: StoreKind.allCases)
    func editsInsertsAndDeletionsDecideMembership(kind: StoreKind) throws {
        let context = try edited(kind)
        let found = try context.fetch(strong())
        #expect(found.map(\.code) == ["a5", "new", "a1", "a8"])
        #expect(try context.count(for: strong()) == 4)
        let ids = try context.fetchObjectIDs(strong())
        #expect(ids == found.map(\.objectID))
        #expect(ids.map(\.isTemporaryID) == [false, true, false, false])
        try context.save()
        #expect(try context.fetch(strong()).map(\.code) == ["a5", "new", "a1", "a8"])
    }

    @Test(arguments: StoreKind.allCases)
    func everyWindowIsExact(kind: StoreKind) throws {
        let context = try edited(kind)
        let all = ["a5", "new", "a1", "a8"]
        for offset in 0...5 {
            for limit in 0...5 {
                let request = strong().offset(offset).limit(limit)
                let expected = Array(all.dropFirst(offset).prefix(limit))
                #expect(try context.fetch(request).map(\.code) == expected)
                #expect(try context.count(for: request) == expected.count)
            }
        }
        #expect(try context.fetch(strong().offset(2)).map(\.code) == ["a1", "a8"])
        #expect(try context.fetch(strong().offset(1).limit(.max)).count == 3)
    }

    /// Objects that are known by their IDs only have changes too, once they are part of new pairs.
    @Test(arguments: StoreKind.allCases)
    func aFaultInANewPairHasTheValuesThatAreStored(kind: StoreKind) async throws {
        let container = try kind.container()
        let context = container.viewContext
        _ = (context.insertQuake("a"), context.insertTag("felt"))
        try context.save()
        let saved = try container.makeContext().fetchObjectIDs(FetchRequest<Tag>())
        let other = container.makeContext()
        let quake = try #require(try other.quake("a"))
        let tag = other.object(with: saved[0], as: Tag.self)
        quake.tags.insert(tag)
        #expect(tag.isFault && tag.hasChanges)
        let felt = FetchRequest<Quake>().where { $0.tags.any { $0.name == "felt" } }
        #expect(try other.fetch(felt) == [quake])
        let tags = FetchRequest<Tag>().where { $0.name == "felt" }
        #expect(try other.count(for: tags) == 1)
        #expect(try await other.fetchOffOwner(tags) == [tag])
        #expect(try await other.fetchOffOwner(felt) == [quake])
    }

    @Test(arguments: StoreKind.allCases)
    func withoutPendingChangesTheStoreDecidesAndObjectsShowTheirEdits(kind: StoreKind) throws {
        let context = try edited(kind)
        var request = strong()
        request.includesPendingChanges = false
        let found = try context.fetch(request)
        #expect(found.map(\.code) == ["a5", "a6", "a7", "a8"])
        #expect(found.map(\.magnitude) == [5, 2, 7, 8])
        #expect(try context.count(for: request) == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func conditionsOnAPendingDestinationAreJudgedByIt(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let (north, south) = (context.insertRegion("North"), context.insertRegion("South"))
        _ = context.insertQuake("us1", in: north)
        let moving = context.insertQuake("us2", in: south)
        try context.save()
        let request = FetchRequest<Quake>().where { $0.region.name == "East" }.sorted(by: \.code)
        #expect(try context.count(for: request) == 0)
        north.name = "East"
        #expect(try context.fetch(request).map(\.code) == ["us1"])
        moving.region = north
        #expect(try context.fetch(request).map(\.code) == ["us1", "us2"])
        let new = context.insertRegion("West")
        moving.region = new
        let west = FetchRequest<Quake>().where { $0.region.name == "West" }
        #expect(try context.fetch(west) == [moving])
        #expect(try context.fetch(FetchRequest<Quake>().where { $0.region == new }) == [moving])
        try context.obtainPermanentIDs(for: [new])
        #expect(try context.fetch(FetchRequest<Quake>().where { $0.region == new }) == [moving])
        #expect(try context.fetch(west) == [moving])
        context.delete(north)
        #expect(try context.fetch(FetchRequest<Quake>()) == [moving])
    }

    @Test(arguments: StoreKind.allCases)
    func quantifiersSeePendingPairs(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let (felt, large) = (context.insertTag("felt"), context.insertTag("large"))
        let quakes = (0..<3).map { context.insertQuake("us\($0)") }
        quakes[0].tags.insert(felt)
        try context.save()
        quakes[0].tags.remove(felt)
        quakes[1].tags.insert(felt)
        quakes[2].tags.insert(large)
        large.name = "felt"
        let all = FetchRequest<Quake>().sorted(by: \.code)
        func codes(_ request: FetchRequest<Quake>) throws -> [String] {
            try context.fetch(request).map(\.code)
        }
        #expect(try codes(all.where { $0.tags.any { $0.name == "felt" } }) == ["us1", "us2"])
        #expect(try codes(all.where { $0.tags.none { $0.name == "felt" } }) == ["us0"])
        #expect(try codes(all.where { $0.tags.all { $0.name == "x" } }) == ["us0"])
        #expect(try codes(all.where { $0.tags.contains(felt) }) == ["us1"])
        #expect(try codes(all.where { $0.tags.count == 1 }) == ["us1", "us2"])
        context.delete(felt)
        #expect(try codes(all.where { $0.tags.count == 1 }) == ["us2"])
    }

    @Test(arguments: StoreKind.allCases)
    func toManysOfOneToManySeeMovedObjects(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let (north, south) = (context.insertRegion("North"), context.insertRegion("South"))
        let quake = context.insertQuake("us1", magnitude: 6, in: north)
        try context.save()
        quake.region = south
        let strong = FetchRequest<Region>().where { $0.quakes.any { $0.magnitude > 5 } }
        #expect(try context.fetch(strong) == [south])
        quake.magnitude = 4
        #expect(try context.fetch(strong).isEmpty)
        _ = context.insertQuake("us2", magnitude: 7, in: north)
        #expect(try context.fetch(strong) == [north])
        #expect(try context.fetch(FetchRequest<Region>().where { $0.quakes.count > 1 }).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func sortingThroughARelationshipSeesPendingNames(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let regions = ["A", "B", "C"].map(context.insertRegion)
        for (number, region) in regions.enumerated() {
            _ = context.insertQuake("us\(number)", in: region)
        }
        try context.save()
        regions[0].name = "Z"
        let request = FetchRequest<Quake>().sorted(by: "region.name")
        #expect(try context.fetch(request).map(\.code) == ["us1", "us2", "us0"])
        #expect(try context.fetch(request.offset(1).limit(1)).map(\.code) == ["us2"])
        _ = context.insertQuake("none")
        #expect(try context.fetch(request.limit(2)).map(\.code) == ["none", "us1"])
    }

    @Test(arguments: StoreKind.allCases)
    func pendingObjectsOfSubentitiesTakePart(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("North")
        for number in 0..<4 {
            let station = number < 2 ? Station(context: context) : OceanStation(context: context)
            station.callSign = "S\(number)"
            station.region = region
            if number == 2 { try context.save() }
        }
        var request = FetchRequest<Station>().sorted(by: \.callSign)
        #expect(try context.fetch(request).map(\.callSign) == ["S0", "S1", "S2", "S3"])
        request.includesSubentities = false
        #expect(try context.fetch(request).map(\.callSign) == ["S0", "S1"])
        #expect(try context.count(for: FetchRequest<OceanStation>()) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func randomEditsAndWindowsAgreeWithAPlainArray(kind: StoreKind) throws {
        let seed = UInt64.random(in: 1..<1_000_000)
        print("seed \(seed) (\(kind))")
        var generator = SplitMix64(seed: seed)
        let context = try kind.container().viewContext
        var model: [Quake] = []
        for step in 0..<400 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...3:
                let size = Double.random(in: 0..<10, using: &generator).rounded()
                model.append(context.insertQuake("q\(step)", magnitude: size))
            case 4...6:
                let size = Double.random(in: 0..<10, using: &generator).rounded()
                model.randomElement(using: &generator)?.magnitude = size
            case 7:
                guard let index = model.indices.randomElement(using: &generator) else { break }
                context.delete(model.remove(at: index))
            case 8: try context.save()
            default: context.trim()
            }
            let least = Double(Int.random(in: 0..<10, using: &generator))
            let offset = Int.random(in: 0..<5, using: &generator)
            let limit = Int.random(in: 0..<8, using: &generator)
            let request = FetchRequest<Quake>().where { $0.magnitude >= least }
                .sorted(by: \.magnitude, .descending).offset(offset).limit(limit)
            let expected = model.filter { $0.magnitude >= least }
                .sorted { a, b in
                    a.magnitude != b.magnitude
                        ? a.magnitude > b.magnitude : a.objectID < b.objectID
                }
                .dropFirst(offset).prefix(limit)
            let found = try context.fetch(request)
            try #require(found == Array(expected), "seed \(seed), step \(step)")
            try #require(try context.count(for: request) == found.count, "seed \(seed)")
        }
    }

    @Test(arguments: [FetchRequest<Quake>().offset(-1), FetchRequest<Quake>().limit(-1)])
    func aNegativeWindowIsRefusedAlsoWithoutAStore(request: FetchRequest<Quake>) async throws {
        let context = try StoreKind.memory.container().viewContext
        for request in [request, request.affectedStores([])] {
            #expect(throws: ContextError.self) { try context.fetch(request) }
            #expect(throws: ContextError.self) { try context.fetchObjectIDs(request) }
            #expect(throws: ContextError.self) { try context.count(for: request) }
            await #expect(throws: ContextError.self) {
                _ = try await context.fetchOffOwner(request)
            }
            await #expect(throws: ContextError.self) {
                try await context.countOffOwner(for: request)
            }
        }
    }
}
