import Duramen
import DuramenSQLite
import DuramenTestKit
import Testing

/// What a context does when its store ends the state that it reads from.
@Suite struct SnapshotExpiryTests {
    private func makeContainer(
        _ plan: FaultPlan, quakes: Int = 3
    ) throws -> PersistentContainer {
        let container = try StoreKind.memory.container(plan: plan)
        let context = container.makeContext()
        let region = context.insertRegion("Honshu")
        for number in 0..<quakes { _ = context.insertQuake("\(number)", in: region) }
        try context.save()
        return container
    }

    @Test(
        "Faults and to-manys are read from a new state", arguments: [StoreCall.rows, .destinations])
    func faultsGoOn(call: StoreCall) throws {
        let plan = FaultPlan()
        let context = try makeContainer(plan).makeContext()
        let quake = try #require(try context.quake("0"))
        let before = plan.count(of: .snapshot)
        plan.fail(call, with: .snapshotExpired)
        let region = try #require(quake.region)
        #expect(region.name == "Honshu")
        #expect(region.quakes.count == 3)
        #expect(plan.clear() == 0)
        #expect(plan.count(of: .snapshot) == before + 1)
        #expect(region.faultError == nil)
        try context.save()
    }

    @Test("A second end at once is an error")
    func twoEndsAreAnError() throws {
        let plan = FaultPlan()
        let context = try makeContainer(plan).makeContext()
        let region = try #require(try context.quake("0")?.region)
        for _ in 0..<2 { plan.fail(.rows, with: .snapshotExpired) }
        plan.fail(.rows, at: 2, with: .snapshotExpired)
        let error = #expect(throws: StoreError.self) { try region.load() }
        #expect(error?.code == .snapshotExpired)
        plan.clear()
        try region.load()
    }

    @Test("A fetch under way throws, and can be made again")
    func aFetchUnderWayThrows() throws {
        let plan = FaultPlan()
        let context = try makeContainer(plan, quakes: 1_500).makeContext()
        plan.fail(.next, at: 2, with: .snapshotExpired)
        let error = #expect(throws: StoreError.self) { try context.fetch(FetchRequest<Quake>()) }
        #expect(error?.code == .snapshotExpired)
        #expect(try context.fetch(FetchRequest<Quake>()).count == 1_500)
        #expect(!context.hasChanges)
    }

    @Test("A unit of work outlives the lease of its state on SQLite")
    func aUnitOfWorkOutlivesItsLease() throws {
        let container = try PersistentContainer.open(
            model: Seismology.model,
            stores: [StoreKind.sqlite.description.snapshotLease(seconds: 0)])
        let store = container.persistentStoreCoordinator.store
        try container.saveElsewhere { context in
            _ = context.insertQuake("0", in: context.insertRegion("Honshu"))
        }
        let reader = container.newBackgroundContext()
        try reader.performAndWait { context in
            let quake = try #require(try context.quake("0"))
            try container.saveElsewhere { try #require(try $0.quake("0")?.region).name = "Kyushu" }
            #expect(try store.maintainIfCapable().endedSnapshots == 1)
            #expect(quake.region?.name == "Kyushu")
            #expect(quake.faultError == nil)
        }
        try container.close()
    }
}
