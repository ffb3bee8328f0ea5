import DuramenLMDB
import DuramenModel
import DuramenStore
import StoreTestSupport

/// A model with relationships of every kind, a hierarchy, and a unique value.
enum Library {
    static let model = makeModel()

    /// Opens a store.
    ///
    /// - Parameter timeoutSeconds: How long it waits for others. Long, since a machine at its limit
    ///   stops anybody for a while; a test of what happens at the deadline gives a short one.
    static func open(
        _ path: String, _ durability: Durability = .full, timeoutSeconds: Double = 60
    ) throws -> any PersistentStore {
        try PersistentStoreDescription.lmdb(path).durability(durability)
            .timeout(seconds: timeoutSeconds).open(model: model)
    }

    /// The values of a tag that takes so many bytes.
    static func label(_ count: Int) -> [String: StoredValue] { ["label": .letters(count)] }

    static func makeModel(
        extra: [AttributeDescription] = [], unique: [[String]] = [["code"]],
        indexes: [IndexDescription] = [IndexDescription("title")]
    ) -> ManagedObjectModel {
        testModel([
            EntityDescription(
                name: "Book",
                attributes: [
                    AttributeDescription("code", .string, isOptional: true),
                    AttributeDescription("title", .string, isOptional: true),
                    AttributeDescription("pages", .integer64, isOptional: true),
                ] + extra,
                relationships: [
                    .toOne("author", destination: "Person", inverse: "books"),
                    .toMany("tags", destination: "Tag", inverse: "books"),
                ], uniquenessConstraints: unique, indexes: indexes),
            EntityDescription(
                name: "Person",
                attributes: [AttributeDescription("name", .string, isOptional: true)],
                relationships: [.toMany("books", destination: "Book", inverse: "author")]),
            EntityDescription(
                name: "Poet", superentity: "Person",
                attributes: [AttributeDescription("verse", .string, isOptional: true)]),
            EntityDescription(
                name: "Tag",
                attributes: [AttributeDescription("label", .string, isOptional: true)],
                relationships: [.toMany("books", destination: "Book", inverse: "tags")]),
        ])
    }
}

/// A model with an indexed attribute of every kind, and indexes over several.
enum Samples {
    static let kinds: [(name: String, type: AttributeType)] = [
        ("text", .string), ("whole", .integer64), ("real", .double), ("single", .float),
        ("flag", .boolean), ("moment", .date), ("exact", .decimal), ("bytes", .binaryData),
        ("identifier", .uuid), ("link", .uri),
    ]

    static let model = testModel([
        EntityDescription(
            name: "Sample",
            attributes: kinds.map { AttributeDescription($0.name, $0.type, isOptional: true) } + [
                AttributeDescription("group", .integer64, isOptional: true),
                AttributeDescription("plain", .integer64, isOptional: true),
            ],
            indexes: kinds.map { IndexDescription($0.name) } + [
                IndexDescription("text", "whole"), IndexDescription("whole", "text", "exact"),
                IndexDescription("group", "exact"), IndexDescription("group", "text"),
            ]),
        EntityDescription(
            name: "SubSample", superentity: "Sample",
            attributes: [AttributeDescription("extra", .string, isOptional: true)],
            indexes: [IndexDescription("group", "extra")]),
    ])
}

extension TemporaryFolder {
    /// Where a test's store is that needs no other.
    func file() -> String { file("library.lmdb") }
}
