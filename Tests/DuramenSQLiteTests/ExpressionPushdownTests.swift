import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

@Suite struct ExpressionPushdownTests {
    /// What SQLite leaves to the evaluator, since the engine has no tables for values that are no rows.
    private let left: Set<String> = []

    @Test func everyExpressionIsPartOfTheStatement() throws {
        let folder = TemporaryFolder()
        let store = try PersistentStoreDescription.sqlite(folder.file())
            .open(model: ConformanceModel.shared)
        for family in ExpressionQueries.formats {
            for format in family.formats {
                let query = try StoreQuery(
                    entity: store.entity(family.entity).id, predicate: FetchPredicate(format)
                ).lowered(in: store.model)
                let residual = store.pushdown(for: query).residual
                #expect((residual != nil) == left.contains(format), "\(family.entity): \(format)")
            }
        }
    }
}
