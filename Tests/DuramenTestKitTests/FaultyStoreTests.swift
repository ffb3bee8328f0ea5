import DuramenMemory
import DuramenStore
import DuramenTestKit
import Testing

@Suite struct FaultyStoreTests {
    @Test("A store without a fault to come keeps the laws", arguments: ConformanceSuite.cases)
    func anUndisturbedStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let plan = FaultPlan()
        try claim.run(StoreFixture(largeRowBytes: 1 << 20) { _ in plan.faulty(.memory()) })
    }

    @Test("So does one that groups saves", arguments: ConformanceSuite.cases)
    func aStoreThatGroupsSavesKeepsTheLaws(_ claim: ConformanceCase) throws {
        let plan = FaultPlan(groupsSaves: true)
        let outcome = try claim.run(
            StoreFixture(largeRowBytes: 1 << 20) { _ in plan.faulty(.memory()) })
        if claim.law == .groups { #expect(outcome == .passed) }
    }

    @Test("The call that was named fails, once, and no other")
    func theNamedCallFails() throws {
        let plan = FaultPlan()
        let driver = try StoreDriver(StoreFixture { _ in plan.faulty(.memory()) })
        let before = plan.count(of: .save)
        plan.fail(.save, at: 2, with: .diskFull)
        _ = try driver.insert("Disc")
        let error = #expect(throws: StoreError.self) { try driver.insert("Disc") }
        #expect(error?.code == .diskFull)
        _ = try driver.insert("Disc")
        #expect(plan.count(of: .save) == before + 3)
        #expect(try driver.contents().records.count == 2)
        #expect(plan.clear() == 0)
    }

    @Test("A fault comes before the work or after it", arguments: FaultPlan.Moment.allCases)
    func aFaultHasItsMoment(_ moment: FaultPlan.Moment) throws {
        let plan = FaultPlan()
        let driver = try StoreDriver(StoreFixture { _ in plan.faulty(.memory()) })
        var draft = driver.draft()
        try draft.insert("Disc")
        plan.fail(.save, with: .unknownOutcome, moment)
        #expect(throws: StoreError.self) { try driver.commit(draft) }
        let isFound = try driver.store.generation(ofSave: draft.changes.identifier) != nil
        #expect(isFound == (moment == .after))
        #expect(try driver.contents().records.count == (moment == .after ? 1 : 0))
    }

    @Test("Faults that have not come are counted and forgotten")
    func faultsAreForgotten() throws {
        let plan = FaultPlan()
        let driver = try StoreDriver(StoreFixture { _ in plan.faulty(.memory()) })
        plan.fail(.snapshot, at: 3, with: .io)
        plan.fail(.next, with: .io)
        #expect(plan.clear() == 2)
        for _ in 0..<4 { _ = try driver.contents() }
    }
}
