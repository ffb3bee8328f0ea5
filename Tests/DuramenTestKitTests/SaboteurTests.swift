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

    /// Runs each saboteur on the cases that have caught none yet, and then until it is caught.
    @Test(arguments: StoreLaw.allCases)
    func everySaboteurIsCaughtAndEveryCaseCatchesOne(_ law: StoreLaw) {
        var idle = ConformanceSuite.cases.filter { $0.law == law }
        var busy: [ConformanceCase] = []
        for entry in SaboteurEntry.all where entry.law == law {
            let catching = idle.filter { catches($0, entry) }
            let first = catching.first ?? busy.first { catches($0, entry) }
            print("law \(law.rawValue): \(entry) is caught: \(first?.name ?? "never")")
            #expect(first != nil, "no case of law \(law.rawValue) catches \(entry)")
            idle.removeAll { claim in catching.contains { $0.name == claim.name } }
            busy += catching
        }
        #expect(idle.isEmpty, "cases that catch no saboteur: \(idle.map(\.name))")
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
