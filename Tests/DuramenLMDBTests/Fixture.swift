import DuramenLMDB
import DuramenModel
import DuramenStore
import Foundation

/// A model with relationships of every kind, a hierarchy, and a unique value.
enum Library {
    static let model = makeModel()

    static func makeModel(
        extra: [AttributeDescription] = [],
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
                ], uniquenessConstraints: [["code"]], indexes: indexes),
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

/// Makes a model that is known to be right.
func testModel(_ entities: [EntityDescription]) -> ManagedObjectModel {
    do {
        return try ManagedObjectModel(entities)
    } catch {
        fatalError("\(error)")
    }
}

/// A folder that goes away with its last user.
final class TemporaryFolder {
    let path: String
    init() {
        path = NSTemporaryDirectory() + "duramen-" + UUID().uuidString
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func file(_ name: String = "library.lmdb") -> String { path + "/" + name }
}

/// Makes a file with a text, or replaces it.
func writeFile(_ path: String, _ text: String = "") throws {
    try Data(text.utf8).write(to: URL(filePath: path))
}

/// The code of the store error that `body` throws; nil when it throws none.
func storeErrorCode(_ body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}

/// The seed of a random test, which is printed: `DURAMEN_SEED`, or one of this run.
func randomSeed(_ test: String = #function) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["DURAMEN_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 1...1_000_000_000)
    print("\(test): DURAMEN_SEED=\(seed)")
    return seed
}

/// How often a random test repeats itself: `DURAMEN_SCRIPTS` times as much as usual when it is set.
func repetitions(_ usual: Int) -> Int {
    let factor = ProcessInfo.processInfo.environment["DURAMEN_SCRIPTS"].flatMap { Int($0) }
    return factor.map { max($0, usual) } ?? usual
}
