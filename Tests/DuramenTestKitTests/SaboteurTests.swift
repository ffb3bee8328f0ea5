import DuramenMemory
import DuramenStore
import DuramenTestKit
import Testing

@Suite struct SaboteurTests {
    @Test(arguments: ConformanceSuite.cases)
    func anHonestStoreWithAllCapabilitiesPassesEveryCase(_ claim: ConformanceCase) throws {
        let honest = SaboteurEntry(claim.law, Saboteur.self)
        #expect(try claim.run(honest.fixture()) == .passed)
    }

    @Test(arguments: StoreLaw.allCases)
    func everyLawIsBrokenByThreeSaboteurs(_ law: StoreLaw) {
        #expect(SaboteurEntry.all.filter { $0.law == law }.count >= 3)
    }

    /// Saboteurs and cases stand in about one order, so the search for the case that catches a
    /// saboteur begins where the one before it was caught.
    @Test(arguments: StoreLaw.allCases)
    func everySaboteurIsCaughtAndEveryCaseCatchesOne(_ law: StoreLaw) {
        let claims = ConformanceSuite.cases.filter { $0.law == law }
        let entries = SaboteurEntry.all.filter { $0.law == law }
        var idle = Array(claims.indices)
        var place = 0
        for entry in entries {
            let caught = claims.indices.map { (place + $0) % claims.count }
                .first { catches(claims[$0], entry) }
            print("law \(law.rawValue): \(entry): \(caught.map { claims[$0].name } ?? "never")")
            #expect(caught != nil, "no case of law \(law.rawValue) catches \(entry)")
            idle.removeAll { $0 == caught }
            place = caught ?? place
        }
        let useless = idle.map { claims[$0] }
            .filter { claim in !entries.contains { catches(claim, $0) } }
        #expect(useless.isEmpty, "cases that catch no saboteur: \(useless.map(\.name))")
    }

    private func catches(_ claim: ConformanceCase, _ entry: SaboteurEntry) -> Bool {
        do {
            try claim.run(entry.fixture())
            return false
        } catch {
            return true
        }
    }
}
