import DuramenModel

/// A class that is generated for an entity, or whose properties are.
struct GeneratedClass {
    let entity: Entity
    let description: EntityDescription
    let codeGeneration: ModelDocument.Entity.CodeGeneration
    /// The class's name, without backticks.
    let name: String
    /// The class above, as source; `ManagedObject` for none.
    let superclass: String
    /// The nearest ancestor that has a generated or named class.
    let parent: Entity?
    /// The properties that the entity declares, by the bytes of their names.
    let properties: [GeneratedProperty]
    /// The fetched properties that the entity declares.
    let fetchedProperties: [GeneratedProperty]

    var escaped: String { SwiftName.escaped(name) }
    /// Only a class whose entity has no sub-entities can be final.
    var isFinal: Bool { entity.subentities.isEmpty }
    /// Whether a property called `id` cannot identify the objects, since its type need not be
    /// `Hashable`.
    var hidesIdentity: Bool {
        (properties + fetchedProperties).contains { $0.identifier == "id" && !$0.isIdentity }
    }
    /// What `Values` consist of: stored attributes and to-ones.
    var stored: [GeneratedProperty] {
        properties.filter { [.attribute, .codable, .composite, .toOne].contains($0.form) }
    }
}
