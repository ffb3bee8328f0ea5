import DuramenModel

/// Determines the classes to generate, with the names and numbers of all their parts.
struct CodePlan {
    /// The classes in the order of their entities' names, without those that the application
    /// writes.
    private(set) var classes: [GeneratedClass] = []
    private(set) var types: TypeNames
    let composites: [ModelDocument.Composite]
    private let model: ManagedObjectModel
    /// The Swift names of composites' structs, by their names in the model.
    private var compositeNames: [String: String] = [:]
    private var classNames: [EntityID: String] = [:]
    /// The Swift names of the properties that each entity declares, by their names in the model.
    private var identifiers: [EntityID: [String: String]] = [:]
    private let sources: [String: ModelDocument.Entity]

    init(
        _ document: ModelDocument, model: ManagedObjectModel, options: ModelCodeGenerator.Options
    ) {
        self.model = model
        sources = Dictionary(
            document.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        composites = document.composites.filter { !$0.attributes.isEmpty }
        types = TypeNames(own: [])
        var taken: Set<String> = ["ManagedObject"]
        for entity in model.entities {
            let mode = codeGeneration(of: entity, options)
            let named = sources[entity.name]?.className
            // An entity without a generated or named class uses the general class.
            guard mode != .none || named != nil else { continue }
            let name = SwiftName.unique(named ?? entity.name, besides: taken)
            taken.insert(name)
            classNames[entity.id] = name
        }
        for composite in composites {
            let name = SwiftName.unique(composite.name, besides: taken)
            taken.insert(name)
            compositeNames[composite.name] = name
        }
        types = TypeNames(own: taken.subtracting(["ManagedObject"]))
        nameProperties()
        for entity in model.entities {
            let mode = codeGeneration(of: entity, options)
            if mode != .none { classes.append(plan(entity, mode)) }
        }
    }

    private func codeGeneration(
        of entity: Entity, _ options: ModelCodeGenerator.Options
    ) -> ModelDocument.Entity.CodeGeneration {
        options.codeGeneration ?? sources[entity.name]?.codeGeneration ?? .none
    }

    // MARK: - Names

    /// Returns the class of an entity's objects, as source; nil for the general class.
    func className(of entity: EntityID) -> String? { classNames[entity].map(SwiftName.escaped) }

    /// Returns the class for relationships to an entity.
    func destinationName(of entity: EntityID) -> String {
        className(of: entity) ?? types.library("ManagedObject")
    }

    func compositeName(_ name: String) -> String? { compositeNames[name].map(SwiftName.escaped) }

    /// Returns the Swift name of a declared or inherited property, without backticks.
    func identifier(of name: String, in entity: Entity) -> String? {
        var next: EntityID? = entity.id
        while let id = next {
            if let identifier = identifiers[id]?[name] { return identifier }
            next = model[id].superentity
        }
        return nil
    }

    private mutating func nameProperties() {
        let hierarchy = Hierarchy(parents: model.entities.map { $0.superentity?.index })
        // The names of the present entity and of its ancestors, and these entities.
        var taken = SwiftName.ofManagedObject
        var lineage: [Int] = []
        for place in hierarchy.order {
            while let last = lineage.last, last != hierarchy.parents[place] {
                taken.subtract((identifiers[EntityID(index: last)] ?? [:]).values)
                lineage.removeLast()
            }
            lineage.append(place)
            var names: [String: String] = [:]
            for name in Self.propertyNames(of: model.descriptions[place]).sorted() {
                let identifier = SwiftName.unique(name, besides: taken)
                taken.insert(identifier)
                names[name] = identifier
            }
            identifiers[EntityID(index: place)] = names
        }
    }

    private static func propertyNames(of description: EntityDescription) -> [String] {
        description.attributes.map(\.name) + description.relationships.map(\.name)
            + description.fetchedProperties.map(\.name)
    }

    // MARK: - Classes

    private func plan(
        _ entity: Entity, _ mode: ModelDocument.Entity.CodeGeneration
    ) -> GeneratedClass {
        let description = model.descriptions[entity.id.index]
        var parent = entity.superentity
        while let id = parent, classNames[id] == nil { parent = model[id].superentity }
        let attributes = description.attributes.map { property(of: $0, in: entity) }
        let relationships = description.relationships.compactMap { property(of: $0, in: entity) }
        return GeneratedClass(
            entity: entity, description: description, codeGeneration: mode,
            name: classNames[entity.id] ?? entity.name,
            superclass: parent.map { destinationName(of: $0) } ?? types.library("ManagedObject"),
            parent: parent.map { model[$0] },
            properties: (attributes + relationships).sorted {
                StoredText($0.name) < StoredText($1.name)
            },
            fetchedProperties: description.fetchedProperties.compactMap { property in
                model.entity(named: property.destination).map { destination in
                    GeneratedProperty(
                        name: property.name,
                        identifier: identifiers[entity.id]?[property.name] ?? "", form: .fetched,
                        type: destinationName(of: destination.id), isOptional: false, place: 0)
                }
            })
    }

    private func property(
        of attribute: AttributeDescription, in entity: Entity
    ) -> GeneratedProperty {
        var property = GeneratedProperty(
            name: attribute.name, identifier: identifiers[entity.id]?[attribute.name] ?? "",
            form: .attribute, type: "", isOptional: attribute.isOptional, place: 0)
        if let transient = entity.transientAttribute(named: attribute.name) {
            property.place = transient.index
            if let relationship = transientRelationship(attribute.name, of: entity) {
                property.form = relationship.isToMany ? .transientToMany : .transientToOne
                property.type = destinationName(of: relationship.destination)
                property.isOptional = !relationship.isToMany
                return property
            }
            property.form = .transient
            property.type = types.name(of: attribute.type)
            let value = LiteralWriter(types).value(attribute.defaultValue)
            property.isOptional = attribute.isOptional || value == nil
            property.initialValue = value
        } else if let composite = entity.composite(named: attribute.name) {
            property.form = .composite
            property.place = composite.slots.lowerBound
            let source = sources[entity.name]?.attributes.first { $0.name == attribute.name }
            property.type = compositeName(source?.composite ?? "") ?? "Never"
        } else if case .attribute(let resolved)? = entity.property(named: attribute.name) {
            property.place = resolved.slot
            property.isDerived = resolved.derivation != nil
            property.type = types.name(of: attribute.type)
            if let codable = attribute.codableType {
                // The empty value of such a type is unknown here.
                property.form = .codable
                property.type = codable.identifier
                property.isOptional = true
            }
        }
        return property
    }

    /// Returns the destination of a transient attribute that is a relationship in the file.
    private func transientRelationship(
        _ name: String, of entity: Entity
    ) -> (destination: EntityID, isToMany: Bool)? {
        let source = sources[entity.name]?.relationships.first { $0.name == name }
        guard let source, let destination = model.entity(named: source.destination) else {
            return nil
        }
        return (destination.id, source.isToMany)
    }

    private func property(
        of description: RelationshipDescription, in entity: Entity
    ) -> GeneratedProperty? {
        guard case .relationship(let relationship)? = entity.property(named: description.name)
        else { return nil }
        let form: GeneratedProperty.Form
        if !relationship.isToMany {
            form = .toOne
        } else {
            form = relationship.isOrdered ? .orderedToMany : .toMany
        }
        return GeneratedProperty(
            name: relationship.name, identifier: identifiers[entity.id]?[relationship.name] ?? "",
            form: form, type: destinationName(of: relationship.destination), isOptional: true,
            place: relationship.slot ?? relationship.storage.toManyIndex ?? 0)
    }
}
