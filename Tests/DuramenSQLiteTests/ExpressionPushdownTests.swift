import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

@Suite struct ExpressionPushdownTests {
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
                #expect(residual == nil, "\(family.entity): \(format)")
            }
        }
    }
}
