import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Queries on values of attributes with external storage.
enum ExternalValueQueries {
    static var families: [QueryFamily] {
        [
            QueryFamily(
                "Conditions on large values are answered like all others",
                preparing: insertAndAsk)
        ]
    }

    private static func insertAndAsk(
        _ driver: StoreDriver
    ) throws -> (StoreContents, [StoreQuery]) {
        let sizes = [0, 5, 131_072, 131_073]
        let values: [StoredValue] =
            sizes.map { .binary(Data(repeating: 1, count: $0)) } + [
                .binary(Data(repeating: 2, count: 131_073)), .null,
            ]
        var draft = driver.draft()
        for value in values + values.suffix(3) {
            try draft.insert("Attachment", ["content": value])
        }
        try driver.commit(draft)
        let relations: [PredicateComparison.Operator] = [
            .equal, .notEqual, .less, .greaterOrEqual,
        ]
        let queries = values.flatMap { value in
            relations.flatMap { relation in
                let predicate = FetchPredicate.keyPath("content", relation, value)
                return [predicate, .not(predicate)].map {
                    driver.query("Attachment", where: $0)
                }
            }
        }
        let sorted = driver.query("Attachment", sortedBy: [FetchSortDescriptor("content")])
        return (try driver.contents(), queries + [sorted])
    }
}
