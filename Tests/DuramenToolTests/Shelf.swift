import CSQLite
import DuramenLMDB
import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport

/// A store of three books and their authors, with texts that are awkward to print.
struct Shelf {
    static let model = testModel([
        EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription("title", .string, isOptional: true),
                AttributeDescription("pages", .integer32, isOptional: true),
                AttributeDescription("price", .decimal, isOptional: true),
                AttributeDescription("rating", .double, isOptional: true),
                AttributeDescription("isLent", .boolean, isOptional: true),
                AttributeDescription("published", .date, isOptional: true),
                AttributeDescription("cover", .binaryData, isOptional: true),
                AttributeDescription("code", .uuid, isOptional: true),
                AttributeDescription("link", .uri, isOptional: true),
            ],
            relationships: [.toOne("author", destination: "Person", inverse: "books")],
            indexes: [IndexDescription(name: "byPages", elements: [.init("pages")])]),
        EntityDescription(
            name: "Person",
            attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [.toMany("books", destination: "Book", inverse: "author")]),
        EntityDescription(name: "Poet", superentity: "Person"),
    ])

    static let code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    let path: String
    /// The store's identity, as URIs have it.
    let identifier: String

    /// Makes a store and fills it.
    init(_ description: PersistentStoreDescription) throws {
        path = description.location
        let store = try description.open(model: Self.model)
        let person = try store.insert("Person", ["name": .text("Ursula, \"U\"")])
        let poet = try store.insert("Poet", ["name": .text("李白")])
        try store.insert(
            "Book",
            all: [
                [
                    "title": .text("A \"big\", red\r\nbook \u{1B}[31m"), "pages": .integer(120),
                    "price": .decimal(Decimal(string: "19.90") ?? 0), "rating": .double(4.5),
                    "isLent": .boolean(true),
                    "published": .date(Date(timeIntervalSinceReferenceDate: 788_918_400.25)),
                    "cover": .binary(Data([0, 255, 10])), "code": .uuid(Self.code),
                    "link": .uri("https://example.org/a,b"), "author": .objectID(person),
                ],
                ["title": .text(""), "pages": .integer(40), "author": .objectID(poet)],
                ["title": .text("漢字"), "pages": .integer(7)],
            ])
        identifier = try store.metadata().storeUUID.uuidString
        try store.close()
    }

    /// Runs SQL on a store's file, as a stranger would.
    static func execute(_ sql: String, in path: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
        else { throw StoreError(.io, String(cString: sqlite3_errmsg(handle))) }
    }
}
