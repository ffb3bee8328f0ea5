import Duramen
import DuramenModel
import StoreTestSupport
import Testing

@MainActor
@Suite struct BatchInsertTests {
    private func codes(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map(\.code)
    }

    @Test(arguments: StoreKind.allCases)
    func dictionariesBecomeObjectsWithDefaults(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("Honshu")
        try context.save()
        let rows: [[String: any Sendable]] = [
            ["code": "a", "magnitude": 5, "depth": 10.5, "region": region.objectID],
            ["code": "b", "region.name": "Honshu", "depth": Double?.none],
            ["code": "c", "status": QuakeStatus.reviewed],
        ]
        var request = BatchInsertRequest(Quake.self, objects: rows)
        request.resultType = .objectIDs
        let result = try context.execute(request)
        #expect(result.count == 3 && Set(result.objectIDs) == result.changedObjectIDs.inserted)
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(quakes.map(\.objectID) == result.objectIDs)
        #expect(quakes.map(\.magnitude) == [5, 0, 0])
        #expect(quakes.map(\.depth) == [10.5, nil, nil])
        #expect(quakes.map(\.region) == [region, region, nil])
        #expect(quakes.map(\.status) == [.automatic, .automatic, .reviewed])
        #expect(Set(region.quakes) == [quakes[0], quakes[1]])
    }

    @Test(arguments: StoreKind.allCases)
    func handlersAreAskedUntilTheySayThatItIsEnough(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        // More than a part, and not a multiple of one.
        var number = 0
        let first = try context.execute(
            BatchInsertRequest(Quake.self) { (values: inout [String: any Sendable]) in
                number += 1
                if number > 2_345 { return true }
                values = ["code": "d\(number)", "magnitude": Double(number)]
                return false
            })
        #expect(first.count == 2_345 && first.objectIDs.isEmpty)
        number = 0
        let second = try context.execute(
            BatchInsertRequest(managedObjectHandler: { (quake: Quake) in
                number += 1
                if number > 1_000 { return true }
                #expect(quake.magnitude == 0 && quake.depth == nil)
                quake.code = "o\(number)"
                quake.magnitude = Double(number)
                return false
            }))
        #expect(second.count == 1_000)
        number = 0
        let third = try context.execute(
            BatchInsertRequest(Quake.self) { row in
                number += 1
                if number > 10 { return true }
                row[\.code] = "t\(number)"
                row[\.magnitude] = Double(number)
                if number > 5 { row[\.depth] = 1 }
                #expect(row[\.code] == "t\(number)" && row[\.depth] == (number > 5 ? 1 : nil))
                return false
            })
        #expect(third.count == 10)
        #expect(try context.count(for: FetchRequest<Quake>()) == 3_355)
        let shallow = FetchRequest<Quake>().where { $0.depth == 1 }.sorted(by: \.magnitude)
        #expect(try context.fetch(shallow).map(\.code) == ["t6", "t7", "t8", "t9", "t10"])
        #expect(try context.quake("o1000")?.magnitude == 1_000)
        #expect(try context.quake("d2345")?.magnitude == 2_345)
    }

    @Test(arguments: StoreKind.allCases)
    func rowsMayNameADestinationByItsNaturalKey(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let regions = ["r0", "r1", "r2"].map { context.insertRegion($0) }
        try context.save()
        func insert(_ names: [String?]) throws {
            var number = 0
            try context.execute(
                BatchInsertRequest(Quake.self) { row in
                    defer { number += 1 }
                    if number == names.count { return true }
                    row[\.code] = "\(names[number] ?? "-")\(number)"
                    row[\.region, \.name] = names[number]
                    return false
                })
        }
        try insert(["r0", "r1", nil, "r0"])
        #expect(try codes(context) == ["-2", "r00", "r03", "r11"])
        #expect(regions.map(\.quakes.count) == [2, 1, 0])
        #expect(contextErrorCode { try insert(["r9"]) } == .invalidRequest)
        _ = context.insertRegion("r0")
        try context.save()
        #expect(contextErrorCode { try insert(["r2", "r0"]) } == .invalidRequest)
        #expect(try codes(context).count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func aRepetitionIsTreatedByTheMergePolicy(kind: StoreKind) throws {
        let cases: [(MergePolicy, [Double?], [Double])] = [
            (.mergeByPropertyStoreTrump, [1, 30], [1, 3]),
            (.rollback, [1, 30], [1, 3]),
            (.mergeByPropertyObjectTrump, [nil, 40], [1, 4]),
            (.fill, [1, 40], [1, 4]),
            (.overwrite, [nil, 40], [0, 4]),
        ]
        for (policy, depths, magnitudes) in cases {
            let container = try kind.container(options: ContextOptions(mergePolicy: policy))
            let context = container.viewContext
            let stored = context.insertQuake("a", magnitude: 1)
            stored.depth = 1
            try context.save()
            let id = stored.objectID
            let version = try context.count(for: FetchRequest<Quake>())
            #expect(version == 1)
            let rows: [[String: any Sendable]] = [
                ["code": "a", "depth": Double?.none],
                ["code": "b", "magnitude": 3, "depth": 30],
                ["code": "b", "magnitude": 4, "depth": 40],
            ]
            let result = try context.execute(BatchInsertRequest(Quake.self, objects: rows))
            let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
            #expect(quakes.map(\.code) == ["a", "b"], "\(policy)")
            #expect(quakes[0].objectID == id && stored === quakes[0])
            #expect(quakes.map(\.depth) == depths, "\(policy)")
            #expect(quakes.map(\.magnitude) == magnitudes, "\(policy)")
            let isLeftOut = depths[0] == 1 && magnitudes[1] == 3
            #expect(result.count == (isLeftOut ? 1 : 2), "\(policy)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectCountsOnceHoweverFarItsRowsAreApart(kind: StoreKind) throws {
        let container = try kind.container(
            options: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let context = container.viewContext
        _ = context.insertQuake("stored")
        try context.save()
        let codes = ["new", "stored"] + (0..<1_500).map { "n\($0)" } + ["new", "n0"]
        var request = BatchInsertRequest(
            Quake.self, objects: codes.map { ["code": $0, "magnitude": 7] })
        request.resultType = .objectIDs
        let result = try context.execute(request)
        #expect(result.count == 1_502 && Set(result.objectIDs).count == 1_502)
        #expect(result.changedObjectIDs.inserted.count == 1_501)
        #expect(result.changedObjectIDs.updated.count == 1)
        #expect(try context.count(for: FetchRequest<Quake>()) == 1_502)
    }

    @Test(arguments: StoreKind.allCases)
    func whatDoesNotFitLeavesNothingBehind(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        _ = context.insertQuake("a", magnitude: 1)
        try context.save()
        func insert(_ rows: [[String: any Sendable]]) throws {
            let many = (0..<1_500).map { ["code": "n\($0)"] as [String: any Sendable] }
            try context.execute(BatchInsertRequest(Quake.self, objects: many + rows))
        }
        #expect(storeErrorCode { try insert([["code": "a"]]) } == .uniquenessViolated)
        #expect(storeErrorCode { try insert([["code": "n7"]]) } == .uniquenessViolated)
        #expect(contextErrorCode { try insert([["magnitude": 1]]) } == .missingMandatoryValue)
        #expect(contextErrorCode { try insert([["code": 1]]) } == .invalidValue)
        #expect(contextErrorCode { try insert([["code": "b", "x": 1]]) } == .unknownName)
        #expect(contextErrorCode { try insert([["code": "b", "tags": 1]]) } == .invalidValue)
        #expect(
            contextErrorCode { try insert([["code": "b", "magnitude": Double.nan]]) }
                == .invalidValue)
        let unsaved = context.insertRegion("new").objectID
        #expect(
            contextErrorCode { try insert([["code": "b", "region": unsaved]]) } == .invalidValue)
        context.rollback()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            var number = 0
            try context.execute(
                BatchInsertRequest(managedObjectHandler: { (quake: Quake) in
                    number += 1
                    quake.code = "s\(number)"
                    if number == 1_700 { throw Stop() }
                    return false
                }))
        }
        #expect(
            contextErrorCode {
                try context.execute(
                    BatchInsertRequest(Region.self, objects: [["name": "r"]]).entityName("Quake"))
            } == .invalidRequest)
        #expect(try codes(context) == ["a"])
        #expect(!context.hasChanges)
        #expect(
            contextErrorCode {
                try context.execute(
                    BatchInsertRequest(Quake.self) { row in
                        row[\.code] = "b"
                        row[\.region] = unsaved
                        return false
                    })
            } == .invalidValue)
        #expect(
            contextErrorCode {
                try context.execute(
                    BatchInsertRequest(Quake.self) { row in
                        row[\.code] = "b"
                        row[\.magnitude] = .nan
                        return false
                    })
            } == .invalidValue)
        // Keys and everything else go on.
        try insert([["code": "b"]])
        #expect(try context.count(for: FetchRequest<Quake>()) == 1_502)
    }

    @Test(arguments: StoreKind.allCases)
    func aBatchIsCancelledWithoutATraceAndTellsHowFarItIs(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let flag = CancellationFlag()
        let seen = Steps()
        func request() -> BatchInsertRequest<Quake> {
            var number = 0
            var request = BatchInsertRequest(Quake.self) { row in
                number += 1
                row[\.code] = "c\(number)"
                return number > 2_500
            }
            request.progress = { seen.add($0) }
            return request
        }
        var cancelled = request()
        cancelled.cancellation = flag
        cancelled.progress = { count in if count >= 2_000 { flag.cancel() } }
        #expect(storeErrorCode { try context.execute(cancelled) } == .cancelled)
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
        try context.execute(request())
        #expect(seen.all == [1_000, 2_000, 2_500])
        #expect(try context.count(for: FetchRequest<Quake>()) == 2_500)
    }

    /// Key paths that are put together are other objects each time.
    @Test func keyPathsNeedNotBeWrittenDown() throws {
        let context = try StoreKind.memory.container().viewContext
        var number = 0
        let whole: KeyPath<Quake, Quake> = \.self
        try context.execute(
            BatchInsertRequest(Quake.self) { row in
                number += 1
                row[whole.appending(path: \.code)] = "k\(number)"
                row[\.magnitude] = Double(number)
                row[whole.appending(path: \.depth)] = 2
                return number > 1_200
            })
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.magnitude))
        #expect(quakes.map(\.code) == (1...1_200).map { "k\($0)" })
        #expect(quakes.allSatisfy { $0.depth == 2 })
    }

    @Test func aHandlerMayNotRelateItsObject() throws {
        let container = try StoreKind.memory.container()
        let context = container.viewContext
        #expect(
            contextErrorCode {
                try context.execute(
                    BatchInsertRequest(managedObjectHandler: { (quake: Quake) in
                        quake.code = "a"
                        guard let scratch = quake.managedObjectContext else { return true }
                        quake.region = Region(context: scratch)
                        return false
                    }))
            } == .invalidRequest)
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }
}

/// What a closure was told, in order.
final class Steps: Sendable {
    private let counts = Locked<[Int]>([])

    var all: [Int] { counts.withLock { $0 } }

    func add(_ count: Int) { counts.withLock { $0.append(count) } }
}
