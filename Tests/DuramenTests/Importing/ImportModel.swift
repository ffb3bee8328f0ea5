import Duramen
import Foundation
import StoreTestSupport

/// A library whose books come from feeds, without classes.
enum ImportModel {
    static let model: ManagedObjectModel = {
        var hinted = AttributeDescription("heading", .string, isOptional: true)
        hinted.userInfo = ["importName": "headline"]
        var tag = EntityDescription(
            name: "Tag", attributes: [AttributeDescription("label", .string)],
            relationships: [.toMany("books", destination: "Book", inverse: "tags")])
        tag.userInfo = ["relatedByAttribute": "label"]
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Book",
                    attributes: [
                        AttributeDescription("isbn", .string, isOptional: true),
                        AttributeDescription("title", .string, default: .text("untitled")),
                        AttributeDescription("pages", .integer32, isOptional: true),
                        AttributeDescription("large", .integer64, isOptional: true),
                        AttributeDescription("price", .decimal, isOptional: true),
                        AttributeDescription("rating", .double, isOptional: true),
                        AttributeDescription("published", .date, isOptional: true),
                        AttributeDescription("isRead", .boolean, isOptional: true),
                        AttributeDescription("cover", .binaryData, isOptional: true),
                        AttributeDescription("site", .uri, isOptional: true),
                        AttributeDescription("token", .uuid, isOptional: true), hinted,
                        .composite(
                            "format",
                            elements: [
                                AttributeDescription("height", .double, isOptional: true),
                                AttributeDescription("width", .double, isOptional: true),
                            ]),
                    ],
                    relationships: [
                        .toOne("author", destination: "Author", inverse: "books"),
                        .toMany("tags", destination: "Tag", inverse: "books"),
                        .toMany("shelves", destination: "Shelf", inverse: "books"),
                    ], uniquenessConstraints: [["isbn"]]),
                EntityDescription(
                    name: "Author",
                    attributes: [
                        AttributeDescription("name", .string),
                        AttributeDescription("born", .integer16, isOptional: true),
                    ],
                    relationships: [
                        .toMany(
                            "books", destination: "Book", inverse: "author")
                    ], uniquenessConstraints: [["name"]]),
                EntityDescription(
                    name: "Shelf",
                    attributes: [AttributeDescription("name", .string)],
                    relationships: [
                        .toMany("books", destination: "Book", inverse: "shelves", isOrdered: true)
                    ], uniquenessConstraints: [["name"]]),
                tag,
            ])
        } catch {
            fatalError("\(error)")
        }
    }()
}

extension ManagedObjectContext {
    /// Imports JSON into an entity by its name.
    func importJSON(
        _ json: String, into entity: String = "Book", at pointer: String = "",
        options: ImportOptions = ImportOptions(),
        _ mapping: (inout ImportMapping<ManagedObject>) -> Void = { _ in }
    ) throws -> ImportReport {
        try importFeed(
            .json(Data(json.utf8), at: pointer), into: entity, options: options, mapping)
    }

    func importFeed(
        _ feed: ImportFeed, into entity: String = "Book",
        options: ImportOptions = ImportOptions(),
        _ mapping: (inout ImportMapping<ManagedObject>) -> Void = { _ in }
    ) throws -> ImportReport {
        let model = persistentStoreCoordinator.managedObjectModel
        guard let entity = model.entity(named: entity) else { fatalError("no such entity") }
        return try `import`(from: feed, into: entity, options: options, mapping)
    }

    /// The objects of an entity by the values of an attribute.
    func objects(_ entity: String, by key: String) throws -> [String: ManagedObject] {
        var objects: [String: ManagedObject] = [:]
        for object in try fetch(FetchRequest<ManagedObject>(entityName: entity)) {
            objects["\(try object.value(forKey: key) ?? "nil")"] = object
        }
        return objects
    }
}

extension PersistentContainer {
    /// A further context of the main actor.
    @MainActor func otherContext() -> ManagedObjectContext {
        let context = makeContext()
        context.attach(to: MainActor.shared)
        return context
    }
}
