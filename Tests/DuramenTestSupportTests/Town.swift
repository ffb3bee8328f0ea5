import Duramen
import Foundation
import Testing

/// A model with every kind of property, without classes.
enum Town {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel(
                [house, EntityDescription(name: "Shop", superentity: "House"), person, note, tag])
        } catch {
            fatalError("\(error)")
        }
    }()

    private static var house: EntityDescription {
        EntityDescription(
            name: "House",
            attributes: [
                AttributeDescription("street", .string, default: .text("")),
                AttributeDescription("number", .integer32, default: .integer(0)),
                AttributeDescription("height", .double, isOptional: true),
                AttributeDescription("weight", .float, isOptional: true),
                AttributeDescription("price", .decimal, isOptional: true),
                AttributeDescription("built", .date, isOptional: true),
                AttributeDescription("plan", .binaryData, isOptional: true),
                AttributeDescription("site", .uri, isOptional: true),
                AttributeDescription("token", .uuid, isOptional: true),
                AttributeDescription("isListed", .boolean, isOptional: true),
                .codable([String: Int]?.self, name: "rooms", identifier: "Rooms"),
                .composite(
                    "place",
                    elements: [
                        AttributeDescription("east", .double, isOptional: true),
                        AttributeDescription("north", .double, isOptional: true),
                    ]),
                AttributeDescription("size", .integer64, isOptional: true)
                    .derived(from: "residents.@count"),
                AttributeDescription("saved", .date, isOptional: true).derived(from: "now()"),
            ],
            relationships: [
                .toMany("residents", destination: "Person", inverse: "home", isOrdered: true)
            ], uniquenessConstraints: [["street", "number"]])
    }

    private static var person: EntityDescription {
        EntityDescription(
            name: "Person",
            attributes: [
                AttributeDescription("name", .string, default: .text("")),
                AttributeDescription("secret", .string, isOptional: true).confidential(),
            ],
            relationships: [
                .toOne("home", destination: "House", inverse: "residents"),
                .toMany("friends", destination: "Person", inverse: "friends"),
                .toMany("notes", destination: "Note", inverse: "writer"),
            ], uniquenessConstraints: [["name"]])
    }

    /// Has no natural key.
    private static var note: EntityDescription {
        EntityDescription(
            name: "Note",
            attributes: [AttributeDescription("text", .string, isOptional: true)],
            relationships: [
                .toOne("writer", destination: "Person", inverse: "notes"),
                .toOne("answer", destination: "Note", inverse: "answered"),
                .toMany("answered", destination: "Note", inverse: "answer"),
                // Has no inverse.
                .toMany("tags", destination: "Tag"),
            ])
    }

    private static var tag: EntityDescription {
        EntityDescription(
            name: "Tag",
            attributes: [AttributeDescription("label", .string, isOptional: true)])
    }
}

/// Makes objects in a context, by the names of entities and properties.
extension ManagedObjectContext {
    @discardableResult
    func make(_ entity: String, _ values: [String: Any?]) throws -> ManagedObject {
        let object = ManagedObject(entity: try model(entity), context: self)
        for (name, value) in values { try object.setValue(value, forKey: name) }
        return object
    }

    private func model(_ entity: String) throws -> Entity {
        try #require(persistentStoreCoordinator.managedObjectModel.entity(named: entity))
    }
}
