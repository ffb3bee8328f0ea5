import Duramen
import DuramenLMDB
import DuramenSQLite
import DuramenTestKit
import Testing

/// Where policies come from, and what they can say.
@Suite struct PolicyTests {
    /// A container with the quakes `codes`, of magnitude 1, that somebody changed to 2 after
    /// `context` read them.
    private func conflict(
        _ codes: [String] = ["us1"], policy: MergePolicy?, kind: StoreKind = .memory,
        plan: FaultPlan? = nil
    ) throws -> (PersistentContainer, ManagedObjectContext, [Quake]) {
        let container = try kind.container(plan: plan)
        try container.saveElsewhere { other in
            for code in codes { _ = other.insertQuake(code, magnitude: 1) }
        }
        let context = container.makeContext(ContextOptions(mergePolicy: policy))
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        try container.saveElsewhere { other in
            for quake in try other.fetch(FetchRequest<Quake>()) { quake.magnitude = 2 }
        }
        for quake in quakes { quake.magnitude = 4 }
        return (container, context, quakes)
    }

    private func magnitudes(_ container: PersistentContainer) throws -> [Double] {
        let context = container.makeContext()
        return try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map(\.magnitude)
    }

    @Test("A closure sees base, own and stored values, and decides property by property")
    func closuresDecide() throws {
        let policy = MergePolicy.custom { conflict in
            guard let base = conflict.base?[\Quake.magnitude],
                let mine = conflict.mine?[\Quake.magnitude],
                let stored = conflict.stored?[\Quake.magnitude]
            else { return .fail }
            return .policy(.mergeByPropertyObjectTrump)
                .setting(\Quake.magnitude, to: stored + mine - base)
                .setting(\Quake.depth, to: 7)
        }
        let (container, context, quakes) = try conflict(policy: policy)
        try context.save()
        #expect(quakes[0].magnitude == 5 && quakes[0].depth == 7 && !context.hasChanges)
        #expect(try magnitudes(container) == [5])
    }

    @Test("Two contexts that count at once lose no count", arguments: StoreKind.allCases)
    func countsAddUp(kind: StoreKind) async throws {
        let adding = MergePolicy.custom { conflict in
            guard let base = conflict.base?[\Quake.magnitude],
                let mine = conflict.mine?[\Quake.magnitude],
                let stored = conflict.stored?[\Quake.magnitude]
            else { return .fail }
            return .policy(.mergeByPropertyObjectTrump)
                .setting(\Quake.magnitude, to: stored + mine - base)
        }
        let container = try kind.container(options: ContextOptions(mergePolicy: adding))
        try container.saveElsewhere { _ = $0.insertQuake("us1", magnitude: 0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let context = container.newBackgroundContext()
                    for _ in 0..<40 {
                        try await context.perform { context in
                            try #require(try context.quake("us1")).magnitude += 1
                            try context.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try magnitudes(container) == [120])
    }

    @Test("A closure that fails, throws or gives a value that does not fit leaves all as it was")
    func closuresThatFail() throws {
        struct Doubt: Error {}
        let failing: [MergePolicy] = [
            .custom { $0.mine?[\Quake.code] == "us2" ? .fail : .policy(.overwrite) },
            .custom { _ in throw Doubt() },
            .custom { _ in .policy(.overwrite).setting(.text("x"), for: "magnitude") },
            .custom { _ in .policy(.overwrite).setting(.double(.nan), for: "magnitude") },
            .custom { _ in .policy(.overwrite).setting(.null, for: "tags") },
            .custom { conflict in
                .policy(.overwrite).setting(.objectID(conflict.objectID), for: "region")
            },
        ]
        for policy in failing {
            let (container, context, quakes) = try conflict(["us1", "us2"], policy: policy)
            #expect(throws: (any Error).self) { try context.save() }
            #expect(quakes.map(\.magnitude) == [4, 4] && context.updatedObjects.count == 2)
            #expect(try magnitudes(container) == [2, 2])
            context.mergePolicy = .overwrite
            try context.save()
            #expect(try magnitudes(container) == [4, 4])
        }
    }

    @Test("Entities have policies of their own, and sub-entities that of their ancestor")
    func entitiesHavePolicies() throws {
        let container = try StoreKind.memory.container()
        let policy = MergePolicy.perEntity(
            ["Region": .rollback, "Station": .overwrite], default: .mergeByPropertyStoreTrump)
        let context = container.makeContext(ContextOptions(mergePolicy: policy))
        let region = context.insertRegion("base")
        let station = OceanStation(context: context)
        (station.callSign, station.region) = ("base", region)
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { other in
            let region = try #require(try other.fetch(FetchRequest<Region>()).first)
            region.name = "stored"
            let station = try #require(try other.fetch(FetchRequest<OceanStation>()).first)
            (station.callSign, station.waterDepth) = ("stored", 1)
            let quake = try #require(try other.quake("us1"))
            (quake.magnitude, quake.depth) = (2, 2)
        }
        region.name = "own"
        station.callSign = "own"
        (quake.magnitude, quake.status) = (3, .reviewed)
        try context.save()
        #expect(region.name == "stored" && station.callSign == "own" && station.waterDepth == 0)
        #expect(quake.magnitude == 2 && quake.depth == 2 && quake.status == .reviewed)
    }

    @MainActor
    @Test("Every new context takes the container's policy, unless it has one")
    func containersHaveAPolicy() async throws {
        let container = try StoreKind.memory.container(
            options: ContextOptions(mergePolicy: .overwrite))
        let named = container.makeContext(ContextOptions(name: "other"))
        let other = container.makeContext(ContextOptions(mergePolicy: .error))
        let background = container.newBackgroundContext(ContextOptions(author: "import"))
        #expect(container.viewContext.mergePolicy.description == "overwrite")
        #expect(container.makeContext().mergePolicy.description == "overwrite")
        #expect(named.mergePolicy.description == "overwrite")
        #expect(other.mergePolicy.description == "error")
        #expect(await background.perform { $0.mergePolicy.description } == "overwrite")
        let plain = try StoreKind.memory.container().viewContext
        #expect(plain.mergePolicy.description == "error")
    }

    @Test("What somebody else saves again and again is given up after some attempts")
    func attemptsAreBounded() throws {
        let container = try StoreKind.memory.container()
        try container.saveElsewhere { _ = $0.insertQuake("us1", magnitude: 1) }
        let policy = MergePolicy.custom { _ in
            try container.saveElsewhere { try #require(try $0.quake("us1")).magnitude += 1 }
            return .policy(.overwrite)
        }
        let context = container.makeContext(ContextOptions(mergePolicy: policy))
        let quake = try #require(try context.quake("us1"))
        quake.magnitude = -1
        try container.saveElsewhere { try #require(try $0.quake("us1")).magnitude = 2 }
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.attempts > 1 && error.conflicts.count == 1)
        #expect(error.description.contains("attempts"))
        #expect(quake.magnitude == -1 && quake.isUpdated)
        context.mergePolicy = .overwrite
        try context.save()
        #expect(try magnitudes(container) == [-1])
    }

    @Test(
        "A save that fails after its conflicts were settled can be made again",
        arguments: StoreKind.allCases)
    func aFailureAfterwards(kind: StoreKind) throws {
        let plan = FaultPlan()
        let (container, context, quakes) = try conflict(
            ["us1", "us2"], policy: .mergeByPropertyObjectTrump, kind: kind, plan: plan)
        _ = context.insertQuake("us2", magnitude: 9)
        plan.fail(.save, at: 2, with: .diskFull)
        #expect(throws: StoreError.self) { try context.save() }
        #expect(quakes[0].magnitude == 4 && context.hasChanges)
        try context.save()
        #expect(try magnitudes(container) == [4, 9])
    }

    @Test(
        "Conflicts are settled by hand, and only those that there still are",
        arguments: StoreKind.allCases)
    func conflictsAreSettledByHand(kind: StoreKind) throws {
        let (container, context, quakes) = try conflict(
            ["us1", "us2", "us3"], policy: nil, kind: kind)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.count == 3)
        let same = #expect(throws: SaveConflictError.self) {
            try context.resolve(error, using: .error)
        }
        #expect(same?.conflicts.count == 3)
        try context.refresh(quakes[1], mergeChanges: true)
        context.delete(quakes[2])
        try context.resolve(error, using: .mergeByPropertyStoreTrump)
        // The third was changed when the error was thrown, and is deleted now.
        #expect(quakes.map(\.magnitude) == [2, 4, 2] && !quakes[2].isDeleted)
        try context.save()
        #expect(try magnitudes(container) == [2, 4, 2])
    }

    @Test(
        "Conflicts with another container on the same file are settled",
        arguments: ["sqlite", "lmdb"])
    func filesAreShared(type: String) throws {
        let path = ScratchFolder.newPath(type)
        func open() throws -> PersistentContainer {
            try PersistentContainer.open(
                model: Seismology.model,
                stores: [type == "sqlite" ? .sqlite(path) : .lmdb(path)],
                defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        }
        let (mine, theirs) = (try open(), try open())
        let context = mine.makeContext()
        let (north, south) = (context.insertRegion("North"), context.insertRegion("South"))
        let quake = context.insertQuake("us1", magnitude: 1, in: north)
        let doomed = context.insertQuake("us2", magnitude: 1, in: north)
        try context.save()
        #expect(north.quakes.count == 2 && south.quakes.isEmpty)
        try theirs.saveElsewhere { other in
            let quake = try #require(try other.quake("us1"))
            quake.magnitude = 2
            quake.region = try other.fetch(FetchRequest<Region>().where { $0.name == "South" })
                .first
            other.delete(try #require(try other.quake("us2")))
            _ = other.insertQuake("us3", magnitude: 3)
        }
        quake.magnitude = 4
        doomed.magnitude = 5
        let twin = context.insertQuake("us3", magnitude: 6)
        try context.save()
        #expect(quake.magnitude == 4 && quake.region === south && Array(south.quakes) == [quake])
        #expect(Array(north.quakes) == [doomed] && !context.hasChanges)
        #expect(try magnitudes(theirs) == [4, 5, 6])
        let fresh = theirs.makeContext()
        #expect(try fresh.existingObject(with: twin.objectID, as: Quake.self).magnitude == 6)
        try mine.close()
        try theirs.close()
    }

    @Test("Conflicts in two stores are settled in each", arguments: TwoStores.Kinds.all)
    func severalStores(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        quakes[0].magnitude = 7
        quakes[1].magnitude = 8
        context.delete(quakes[3])
        try context.assign(context.insertQuake("e", magnitude: 9), to: stores.second)
        let twin = context.insertQuake("c", magnitude: 10)
        try stores.container.saveElsewhere { other in
            for code in ["a", "b", "d"] { try #require(try other.quake(code)).magnitude = 1.5 }
            try other.assign(other.insertQuake("e", magnitude: 1), to: stores.second)
        }
        try context.save()
        #expect(
            try stores.stored()
                == ["a 7.0 Honshu", "b 8.0 Chile", "c 10.0 -", "e 9.0 -"])
        #expect(twin.objectID == quakes[2].objectID && context.replacedObjectIDs.count == 2)
        #expect(!context.hasChanges)
    }
}
