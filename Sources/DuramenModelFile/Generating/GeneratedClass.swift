import DuramenModel

/// A generated class of an entity, or a class with generated properties.
struct GeneratedClass {
    let entity: Entity
    let description: EntityDescription
    let codeGeneration: ModelDocument.Entity.CodeGeneration
    /// The class's name, without backticks.
    let name: String
    /// The superclass, as source; `ManagedObject` for none.
    let superclass: String
    /// The nearest ancestor with a generated or named class.
    let parent: Entity?
    /// The properties that the entity declares, in the order of their names' bytes.
    let properties: [GeneratedProperty]
    /// The fetched properties that the entity declares.
    let fetchedProperties: [GeneratedProperty]

    var escaped: String { SwiftName.escaped(name) }
    /// Only a class whose entity has no sub-entities can be final.
    var isFinal: Bool { entity.subentities.isEmpty }
    /// Whether a property called `id` cannot identify the objects, since its type may not be
    /// `Hashable`.
    var hidesIdentity: Bool {
        (properties + fetchedProperties).contains { $0.identifier == "id" && !$0.isIdentity }
    }
    /// The members of `Values`: stored attributes and to-ones.
    var stored: [GeneratedProperty] {
        properties.filter { [.attribute, .codable, .composite, .toOne].contains($0.form) }
    }
}
