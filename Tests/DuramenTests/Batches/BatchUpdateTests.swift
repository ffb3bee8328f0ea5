import Duramen
import StoreTestSupport
import Testing

@MainActor
@Suite struct BatchUpdateTests {
    /// Quakes q0 to q9 of magnitudes 0 to 9.
    private func filled(_ kind: StoreKind, _ count: Int = 10) throws -> PersistentContainer {
        let container = try kind.container()
        let context = container.viewContext
        for number in 0..<count {
            _ = context.insertQuake("q\(number)", magnitude: Double(number))
        }
        try context.save()
        return container
    }

    @Test(arguments: StoreKind.allCases)
    func valuesAndExpressionsAreGivenToWhatMatches(kind: StoreKind) throws {
        let context = try filled(kind).viewContext
        let region = context.insertRegion("Honshu")
        try context.save()
        context.trim()
        var request = BatchUpdateRequest<Quake>().where { $0.magnitude >= 5 }
            .set(\.status, to: .reviewed).set(\.depth, to: { $0.magnitude * 2 + 1 })
            .set(\.magnitude, to: { $0.magnitude / 2 }).set(\.region, to: region)
        request.resultType = .objectIDs
        let result = try context.execute(request)
        #expect(result.count == 5 && result.objectIDs.count == 5)
        #expect(result.changedObjectIDs.updated == Set(result.objectIDs))
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(quakes.map(\.magnitude) == [0, 1, 2, 3, 4, 2.5, 3, 3.5, 4, 4.5])
        #expect(quakes.map(\.depth) == [nil, nil, nil, nil, nil, 11, 13, 15, 17, 19])
        #expect(quakes.suffix(5).allSatisfy { $0.status == .reviewed && $0.region === region })
        #expect(region.quakes.count == 5)
        let taken = try context.execute(
            BatchUpdateRequest<Quake>().where { $0.depth > 15 }.set(\.depth, to: nil)
                .set(\.region, to: Region?.none))
        #expect(taken.count == 2 && taken.objectIDs.isEmpty)
        #expect(region.quakes.count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func expressionsOfTheFormatLanguageReadOtherObjects(kind: StoreKind) throws {
        let context = try filled(kind).viewContext
        let region = context.insertRegion("r5")
        try context.quake("q5")?.region = region
        try context.save()
        try context.execute(
            BatchUpdateRequest<Quake>().where(try FetchPredicate("region != nil"))
                .set("code", to: try FetchExpression(format: "uppercase:(region.name)"))
                .set("magnitude", to: try FetchExpression(format: "region.quakes.@count")))
        #expect(try context.quake("R5")?.magnitude == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func uniqueValuesAreJudgedTogether(kind: StoreKind) throws {
        let context = try filled(kind, 1_500).viewContext
        // Each one takes what another one has.
        try context.execute(
            BatchUpdateRequest<Quake>().set(
                "code",
                to: try FetchExpression(
                    format: "ternary(code == 'q7', 'q8', ternary(code == 'q8', 'q7', code))")))
        #expect(try context.quake("q8")?.magnitude == 7)
        #expect(try context.quake("q7")?.magnitude == 8)
        let code = storeErrorCode {
            try context.execute(
                BatchUpdateRequest<Quake>().where { $0.magnitude < 2 }.set(\.code, to: "same"))
        }
        #expect(code == .uniquenessViolated)
        #expect(try context.quake("same") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func subentitiesAreChangedUnlessTheyAreLeftOut(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("r")
        let station = Station(context: context)
        let ocean = OceanStation(context: context)
        for (station, sign) in [(station, "a"), (ocean, "b")] {
            station.region = region
            station.callSign = sign
        }
        try context.save()
        var request = BatchUpdateRequest<Station>().set(\.callSign, to: "x")
        request.includesSubentities = false
        #expect(try context.execute(request).count == 1)
        #expect(station.callSign == "x" && ocean.callSign == "b")
        #expect(
            try context.execute(BatchUpdateRequest<Station>().set(\.callSign, to: "y")).count == 2)
        #expect(ocean.callSign == "y")
        let deep = BatchUpdateRequest<OceanStation>().set(\.waterDepth, to: { $0.waterDepth + 7 })
        #expect(try context.execute(deep).count == 1)
        #expect(ocean.waterDepth == 7)
        // Region is mandatory, and the two sides of a one-to-one stand in two rows.
        #expect(
            storeErrorCode {
                try context.execute(
                    BatchUpdateRequest<Station>().set(\.region, to: Region?.none))
            } == .invalidRequest)
        #expect(
            storeErrorCode {
                try context.execute(BatchUpdateRequest<Station>().set(\.backup, to: station))
            } == .invalidRequest)
    }

    @Test(arguments: StoreKind.allCases)
    func whatDoesNotFitChangesNothing(kind: StoreKind) throws {
        let container = try filled(kind)
        let context = container.viewContext
        func code(_ request: BatchUpdateRequest<Quake>) -> StoreError.Code? {
            storeErrorCode { try context.execute(request) }
        }
        let (name, quotient) = try (
            FetchExpression(format: "code"), FetchExpression(format: "6 / (9 - magnitude)")
        )
        let all = BatchUpdateRequest<Quake>()
        #expect(code(all) == .invalidRequest)
        #expect(code(all.set("unknown", to: .constant(.integer(1)))) == .invalidRequest)
        #expect(code(all.set("tags", to: .constant(.null))) == .invalidRequest)
        #expect(code(all.set("code", to: .constant(.integer(1)))) == .invalidRequest)
        #expect(code(all.set("code", to: .constant(.null))) == .invalidRequest)
        #expect(code(all.set("magnitude", to: name)) == .invalidRequest)
        // Null where something is divided by zero: the first of ten would be changed before.
        let divided = all.set("magnitude", to: quotient)
        #expect(code(divided) == .invalidRequest)
        let unsaved = context.insertRegion("new")
        #expect(code(all.set(\.region, to: unsaved)) == .invalidRequest)
        context.rollback()
        let reader = container.makeContext()
        let found = try reader.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(found.map(\.magnitude) == (0..<10).map(Double.init))
    }

    @Test(arguments: StoreKind.allCases)
    func whoChangedTheSameObjectGetsAConflict(kind: StoreKind) throws {
        let container = try filled(kind)
        let context = container.viewContext
        let other = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        let quake = try #require(try other.quake("q3"))
        quake.magnitude = 33
        try context.execute(
            BatchUpdateRequest<Quake>().where { $0.code == "q3" }.set(\.depth, to: 3))
        #expect(throws: SaveConflictError.self) { try other.save() }
        other.mergePolicy = .mergeByPropertyObjectTrump
        try other.save()
        context.processPendingChanges()
        let merged = try #require(try context.quake("q3"))
        #expect(merged.magnitude == 33 && merged.depth == 3)
    }

    /// So many that an engine may write them at once.
    @Test(arguments: StoreKind.allCases)
    func manyObjectsGetTheSameValues(kind: StoreKind) throws {
        let container = try filled(kind, 2_600)
        let context = container.viewContext
        let region = context.insertRegion("Honshu")
        try context.save()
        let other = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        let stale = try #require(try other.quake("q2000"))
        let held = try context.fetch(FetchRequest<Quake>().sorted(by: \.magnitude))
        let request = BatchUpdateRequest<Quake>()
            .where(try FetchPredicate("code BEGINSWITH[c] 'Q' AND magnitude >= 500"))
            .set(\.depth, to: 7).set(\.status, to: .reviewed).set(\.region, to: region)
        #expect(try context.execute(request).count == 2_100)
        #expect(held.map(\.depth) == (0..<2_600).map { $0 < 500 ? nil : 7 })
        #expect(held.filter { $0.status == .reviewed && $0.region === region }.count == 2_100)
        #expect(region.quakes.count == 2_100)
        stale.magnitude = 1
        #expect(throws: SaveConflictError.self) { try other.save() }
        // Conditions that read other tables.
        let there = request.where(try FetchPredicate("region.name == 'Honshu'"))
            .set(\.region, to: Region?.none)
        #expect(try context.execute(there).count == 2_100)
        #expect(region.quakes.isEmpty)
        // What is wrong with a value is found before anything is written.
        let code = storeErrorCode {
            try context.execute(
                BatchUpdateRequest<Quake>().set("depth", to: .constant(.text("deep"))))
        }
        #expect(code == .invalidRequest)
        #expect(held[0].depth == nil && held[2_599].depth == 7)
    }
}
