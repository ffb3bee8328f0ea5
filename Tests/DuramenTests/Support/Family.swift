import Duramen
import Testing

/// Entities without classes, with every delete rule.
enum Family {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                owner, item, strict, node, pin,
                EntityDescription(
                    name: "Club",
                    relationships: [
                        .toMany(
                            "members", destination: "Member", isOptional: false, inverse: "club",
                            minimumCount: 1)
                    ]),
                EntityDescription(
                    name: "Member", relationships: [.toOne("club", destination: "Club")]),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    private static let owner = EntityDescription(
        name: "Owner",
        attributes: [AttributeDescription("name", .string, isOptional: true)],
        relationships: [
            .toMany("items", destination: "Item", deleteRule: .nullify, inverse: "owner"),
            .toMany("guarded", destination: "Item", deleteRule: .deny, inverse: "guardian"),
            .toMany("owned", destination: "Item", deleteRule: .cascade, inverse: "master"),
            .toMany("kept", destination: "Item", deleteRule: .noAction, inverse: "keeper"),
            .toMany("stricts", destination: "Strict", deleteRule: .nullify, inverse: "boss"),
        ])

    private static let item = EntityDescription(
        name: "Item",
        relationships: [
            .toOne("owner", destination: "Owner"), .toOne("guardian", destination: "Owner"),
            .toOne("master", destination: "Owner"), .toOne("keeper", destination: "Owner"),
        ])

    private static let strict = EntityDescription(
        name: "Strict",
        relationships: [.toOne("boss", destination: "Owner", isOptional: false)])

    private static let node = EntityDescription(
        name: "Node",
        relationships: [
            .toOne("next", destination: "Node", deleteRule: .cascade, inverse: "previous"),
            .toOne("previous", destination: "Node"),
            .toMany("children", destination: "Node", deleteRule: .cascade, inverse: "parent"),
            .toOne("parent", destination: "Node"),
            .toMany("pins", destination: "Pin", deleteRule: .deny, inverse: "node"),
        ])

    private static let pin = EntityDescription(
        name: "Pin", relationships: [.toOne("node", destination: "Node")])
}

extension ManagedObjectContext {
    /// Inserts an object of an entity of the ``Family``.
    func insert(_ entity: String, _ values: [String: Any?] = [:]) -> ManagedObject {
        do {
            let entity = try #require(model(of: entity))
            let object = ManagedObject(entity: entity, context: self)
            for (key, value) in values { try object.setValue(value, forKey: key) }
            return object
        } catch {
            fatalError("\(error)")
        }
    }

    private func model(of entity: String) -> Entity? {
        persistentStoreCoordinator.managedObjectModel.entity(named: entity)
    }
}

extension FetchRequest where Object == ManagedObject {
    static func all(_ entity: String) -> FetchRequest { FetchRequest(entityName: entity) }
}
