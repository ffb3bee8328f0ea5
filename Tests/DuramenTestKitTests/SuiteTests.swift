import DuramenTestKit
import Testing

@Suite struct SuiteTests {
    @Test(arguments: StoreLaw.allCases)
    func everyLawHasCases(_ law: StoreLaw) {
        #expect(ConformanceSuite.cases.filter { $0.law == law }.count >= 4)
    }

    @Test func everyCaseHasANameOfItsOwn() {
        let names = ConformanceSuite.cases.map(\.description)
        #expect(Set(names).count == names.count)
    }
}
