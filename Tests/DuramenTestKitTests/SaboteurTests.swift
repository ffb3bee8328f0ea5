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

    @Test(arguments: StoreLaw.allCases)
    func everySaboteurIsCaughtAndEveryCaseCatchesOne(_ law: StoreLaw) {
        var idle = Set(ConformanceSuite.cases.filter { $0.law == law }.map(\.name))
        for entry in SaboteurEntry.all where entry.law == law {
            var catches: [String] = []
            for claim in ConformanceSuite.cases where claim.law == law {
                do {
                    try claim.run(entry.fixture())
                } catch {
                    catches.append(claim.name)
                }
            }
            print("law \(law.rawValue): \(entry) is caught by \(catches.count): \(catches.first ?? "-")")
            #expect(!catches.isEmpty, "no case of law \(law.rawValue) catches \(entry)")
            idle.subtract(catches)
        }
        #expect(idle.isEmpty, "cases of law \(law.rawValue) that catch no saboteur: \(idle.sorted())")
    }
}
