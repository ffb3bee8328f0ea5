import Duramen
import Foundation
import Testing

struct PartialFetchTests {
    private func container(_ kind: StoreKind) throws -> PersistentContainer {
        let container = try kind.container()
        try container.saveElsewhere { context in
            for number in 0..<1_200 {
                let quake = context.insertQuake("q\(10_000 + number)", magnitude: Double(number))
                quake.depth = number % 2 == 0 ? nil : 3
                quake.region = number % 3 == 0 ? context.insertRegion("R\(number)") : nil
            }
        }
        return container
    }

    @Test(
        "Values that were fetched are there, and the others come in groups",
        arguments: StoreKind.allCases)
    func someValues(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext()
        var quakes: [Quake] = []
        var statements = try container.statements {
            quakes = try context.fetch(
                FetchRequest<Quake>().sorted(by: \.code).fetchingOnly(\.code, \.depth))
        }
        #expect(statements == 1 && quakes.count == 1_200)
        #expect(quakes.allSatisfy { $0.isFault })
        statements = try container.statements {
            for (number, quake) in quakes.enumerated() {
                #expect(quake.code == "q\(10_000 + number)")
                #expect(quake.depth == (number % 2 == 0 ? nil : 3))
                let (thrown, byKey) = (
                    try quake.value(\Quake.code), try quake.value(forKey: "code")
                )
                #expect(thrown == quake.code && byKey as? String == quake.code)
            }
        }
        #expect(statements == 0 && quakes.allSatisfy { $0.isFault })
        statements = container.statements {
            for (number, quake) in quakes.enumerated() {
                #expect(quake.magnitude == Double(number))
            }
        }
        #expect(statements == 3 && !quakes.contains { $0.isFault })
        #expect(quakes.map(\.code) == quakes.map(\.code).sorted())
    }

    @Test("A to-one that was fetched leads on without the row", arguments: StoreKind.allCases)
    func toOne(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext()
        let quakes = try context.fetch(
            FetchRequest<Quake>().sorted(by: \.code).fetchingOnly(\.region))
        let statements = container.statements {
            #expect(quakes.compactMap { $0.region?.name }.count == 400)
        }
        #expect(statements <= 3 && quakes.allSatisfy { $0.isFault })
        // The destination's entity is among what is read.
        try container.saveElsewhere { context in
            let (station, ocean) = (Station(context: context), OceanStation(context: context))
            (station.callSign, ocean.callSign) = ("a", "b")
            (station.region, ocean.region) = (
                context.insertRegion("x"), context.insertRegion("y")
            )
            station.backup = ocean
        }
        let other = container.makeContext()
        let stations = try other.fetch(FetchRequest<Station>().fetchingOnly(\.backup))
        #expect(stations.compactMap(\.backup).allSatisfy { $0 is OceanStation })
        #expect(stations.compactMap(\.backup).count == 1)
    }

    @Test("Conditions and orders see all values", arguments: StoreKind.allCases)
    func conditions(kind: StoreKind) throws {
        let context = try container(kind).makeContext()
        let quakes = try context.fetch(
            FetchRequest<Quake>().where { $0.magnitude >= 1_190 && $0.depth != nil }
                .sorted(by: \.magnitude, .descending).limit(3).fetchingOnly(\.code))
        #expect(quakes.map(\.code) == ["q11199", "q11197", "q11195"])
        #expect(quakes.allSatisfy { $0.isFault })
        #expect(quakes.map(\.magnitude) == [1_199, 1_197, 1_195])
    }

    @Test("An edit of a partly read object is whole", arguments: StoreKind.allCases)
    func edits(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext()
        let request = FetchRequest<Quake>().where { $0.code == "q10003" }.fetchingOnly(\.code)
        let quake = try #require(try context.fetch(request).first)
        quake.code = "edited"
        #expect(quake.magnitude == 3 && quake.region?.name == "R3" && quake.isUpdated)
        try context.save()
        let other = container.makeContext()
        let stored = try #require(try other.quake("edited"))
        #expect(stored.magnitude == 3 && stored.depth == 3 && stored.region?.name == "R3")
    }

    @Test(
        "Objects in memory keep what they have; unsaved changes read all",
        arguments: StoreKind.allCases)
    func knownObjects(kind: StoreKind) throws {
        let context = try container(kind).makeContext()
        let known = try #require(try context.quake("q10001"))
        let request = FetchRequest<Quake>().where { $0.magnitude < 4 }.sorted(by: \.code)
            .fetchingOnly(\.code)
        #expect(try context.fetch(request).map(\.isFault) == [true, false, true, true])
        known.magnitude = 2
        let again = try context.fetch(request)
        #expect(again.count == 4 && again[1] === known && known.magnitude == 2)
        #expect(again.map(\.code) == ["q10000", "q10001", "q10002", "q10003"])
    }

    @Test("What others save replaces values that were fetched", arguments: StoreKind.allCases)
    func merging(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: true))
        let request = FetchRequest<Quake>().where { $0.code == "q10003" }
            .fetchingOnly(\.code, \.magnitude)
        let quake = try #require(try context.fetch(request).first)
        #expect(quake.magnitude == 3 && quake.isFault)
        try container.saveElsewhere { try #require(try $0.quake("q10003")).magnitude = 9 }
        #expect(quake.magnitude == 3)
        context.processPendingChanges()
        #expect(quake.magnitude == 9)
        try context.refresh(quake, mergeChanges: false)
        #expect(quake.isFault && quake.magnitude == 9)
    }

    @Test("A refetch of some values refreshes them", arguments: StoreKind.allCases)
    func refreshing(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        let quake = try #require(try context.quake("q10003"))
        try container.saveElsewhere { try #require(try $0.quake("q10003")).magnitude = 9 }
        var request = FetchRequest<Quake>().where { $0.code == "q10003" }
            .fetchingOnly(\.magnitude)
        _ = try context.fetch(request)
        #expect(quake.magnitude == 3)
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
        #expect(quake.magnitude == 9 && quake.code == "q10003")
    }

    @Test(
        "What cannot be fetched by itself is refused",
        arguments: [
            ("tags", ContextError.Code.invalidRequest), ("nothing", .unknownName),
            ("region.name", .unknownName),
        ])
    func wrongNames(name: String, code: ContextError.Code) throws {
        let context = try makeContainer().makeContext()
        var request = FetchRequest<Quake>()
        request.propertiesToFetch = [name]
        let error = #expect(throws: ContextError.self) { try context.fetch(request) }
        #expect(error?.code == code && error?.message.contains(name) == true)
    }
}
