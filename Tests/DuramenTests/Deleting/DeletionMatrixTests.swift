import Duramen
import StoreTestSupport
import Testing

/// Every pair of delete rules, over every kind of relationship, between objects that are saved and
/// such that are not.
@MainActor
@Suite struct DeletionMatrixTests {
    @Test(arguments: StoreKind.allCases)
    func whatIsDeletedGoesByItsRulesAndComesBackWhole(kind: StoreKind) throws {
        let container = try kind.container(DeletionTrial.model)
        let cases = share(of: DeletionTrial.all, usual: 300, seed: randomSeed())
        for trial in cases {
            let run = try DeletionRun(trial, container)
            do {
                for problem in try run.problems() { Issue.record("\(trial): \(problem)") }
            } catch {
                Issue.record("\(trial): \(error)")
            }
        }
    }
}
