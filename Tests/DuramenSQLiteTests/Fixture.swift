import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import StoreTestSupport

/// A model with every shape of property that the layout treats apart.
enum Library {
    static let model = makeModel()

    /// Opens a store.
    ///
    /// - Parameter timeoutSeconds: How long it waits for others. Long, since a machine at its limit
    ///   stops anybody for a while; a test of what happens at the deadline gives a short one.
    static func open(
        _ path: String, _ durability: Durability = .full, timeoutSeconds: Double = 60
    ) throws -> any PersistentStore {
        try PersistentStoreDescription.sqlite(path).durability(durability)
            .timeout(seconds: timeoutSeconds).open(model: model)
    }

    static func makeModel(extra: [AttributeDescription] = []) -> ManagedObjectModel {
        testModel([
            EntityDescription(
                name: "Book",
                attributes: [
                    AttributeDescription("code", .string, isOptional: true),
                    AttributeDescription("title", .string, isOptional: true),
                    AttributeDescription("pages", .integer64, isOptional: true),
                    AttributeDescription("rating", .double, isOptional: true),
                    AttributeDescription("isLent", .boolean, isOptional: true),
                    AttributeDescription("printed", .date, isOptional: true),
                    AttributeDescription("price", .decimal, isOptional: true),
                    AttributeDescription("cover", .binaryData, isOptional: true),
                    AttributeDescription("isbn", .uuid, isOptional: true),
                    AttributeDescription("link", .uri, isOptional: true),
                ] + extra,
                relationships: [
                    .toOne("author", destination: "Person", inverse: "books"),
                    .toMany("tags", destination: "Tag", inverse: "books"),
                ],
                uniquenessConstraints: [["code"]],
                indexes: [IndexDescription("title")]),
            EntityDescription(
                name: "Person",
                attributes: [AttributeDescription("name", .string, isOptional: true)],
                relationships: [.toMany("books", destination: "Book", inverse: "author")]),
            EntityDescription(
                name: "Poet", superentity: "Person",
                attributes: [
                    AttributeDescription("verse", .string, isOptional: true),
                    AttributeDescription("number", .integer32, isOptional: true),
                ], uniquenessConstraints: [["number"]]),
            EntityDescription(
                name: "Tag",
                attributes: [AttributeDescription("label", .string, isOptional: true)],
                relationships: [.toMany("books", destination: "Book", inverse: "tags")]),
        ])
    }
}

extension TemporaryFolder {
    /// Where a test's store is that needs no other.
    func file() -> String { file("library.sqlite") }
}

extension PersistentStore {
    /// The keys of a query's results, in order; nil where the store leaves a part of the query to
    /// others.
    func pushedKeys(_ query: StoreQuery) throws -> [Int64]? {
        let split = pushdown(for: query)
        guard split.residual == nil, !split.needsSorting, !split.needsWindow else { return nil }
        let cursor = try snapshot().cursor(split.pushed)
        var keys: [Int64] = []
        while let batch = try cursor.next(maximumRows: 3) { keys += batch.map(\.key) }
        return keys
    }
}
