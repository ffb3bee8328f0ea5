/// Translates a Core Data model to ``EntityDescription`` values, and notes what cannot be
/// translated.
///
/// Every decision is one function here; a feature that models learn removes one.
public struct ForeignModelTranslation: Sendable {
    /// The descriptions of the entities.
    public internal(set) var descriptions: [EntityDescription] = []
    /// The decisions of the translation.
    public private(set) var findings: [ForeignModelFinding] = []
    let entities: [ForeignEntity]
    /// The place of each entity, by its name.
    private(set) var places: [StoredText: Int] = [:]
    private let codableTypes: [StoredText: CodableType]
    private let keepsTransformables: Bool

    /// Translates a model.
    ///
    /// - Parameters:
    ///   - model: A model whose entities have only the properties that they declare themselves.
    ///   - codableTypes: The types of transformable attributes, by the model's names for the types.
    ///     Other transformable attributes become binary data.
    ///   - keepsTransformables: Whether transformable attributes of unknown types stay
    ///     transformable. Use it only to compare descriptions: no model can be made of such
    ///     attributes.
    public init(
        _ model: ForeignModel, codableTypes: [CodableType] = [], keepsTransformables: Bool = false
    ) {
        entities = model.entities
        self.keepsTransformables = keepsTransformables
        self.codableTypes = Dictionary(
            codableTypes.map { (StoredText($0.identifier), $0) },
            uniquingKeysWith: { first, _ in first })
        for (place, entity) in entities.enumerated() { places[StoredText(entity.name)] = place }
        for entity in entities { addDescription(of: entity) }
        for place in entities.indices { addRelationships(of: place) }
        addConstraints()
    }

    /// Adds a finding.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - property: The name of the property; nil for the entity.
    ///   - message: A description of the decision.
    ///   - isNote: Whether nothing is lost and nothing needs a change.
    mutating func note(
        _ entity: String, _ property: String?, _ message: String, isNote: Bool = false
    ) {
        findings.append(
            ForeignModelFinding(
                entity: entity, property: property, message: message, isNote: isNote))
    }

    // MARK: - The model

    /// Creates the model of the descriptions.
    ///
    /// A derived attribute that stores cannot compute becomes a stored attribute, with a finding. A
    /// derivation from a missing property is still an error.
    ///
    /// - Parameters:
    ///   - configurations: The configurations of the model.
    ///   - versionIdentifiers: The version identifiers of the model.
    ///   - transformers: The transformers for attributes that name one.
    /// - Throws: ``ModelError`` if the descriptions have other mistakes.
    public mutating func model(
        configurations: [ConfigurationDescription] = [], versionIdentifiers: [String],
        transformers: ValueTransformers = ValueTransformers()
    ) throws(ModelError) -> ManagedObjectModel {
        do throws(ModelError) {
            return try ManagedObjectModel(
                descriptions, configurations: configurations,
                versionIdentifiers: versionIdentifiers, transformers: transformers)
        } catch {
            let kept = error.mistakes.filter { !takeDerivationAway($0) }
            if kept.count == error.mistakes.count { throw error }
            if !kept.isEmpty { throw ModelError(mistakes: kept) }
            return try ManagedObjectModel(
                descriptions, configurations: configurations,
                versionIdentifiers: versionIdentifiers, transformers: transformers)
        }
    }

    /// Makes a derived attribute a stored attribute.
    ///
    /// - Parameter mistake: A mistake that the model reported.
    /// - Returns: Whether this fixes the mistake.
    private mutating func takeDerivationAway(_ mistake: ModelError.Mistake) -> Bool {
        guard mistake.code == .invalidDerivation, let name = mistake.property,
            let place = places[StoredText(mistake.entity)],
            let attribute = descriptions[place].attributes.firstIndex(where: {
                StoredText($0.name) == StoredText(name) && $0.derivationExpression != nil
            })
        else { return false }
        descriptions[place].attributes[attribute].derivationExpression = nil
        note(mistake.entity, name, "\(mistake.message) Read as it is stored")
        return true
    }

    // MARK: - Entities and attributes

    private mutating func addDescription(of entity: ForeignEntity) {
        var description = EntityDescription(
            name: entity.name, superentity: entity.superentity, isAbstract: entity.isAbstract,
            renamingIdentifier: entity.renamingIdentifier,
            versionHashModifier: entity.versionHashModifier, userInfo: entity.userInfo)
        description.attributes = entity.attributes.compactMap {
            self.description(of: $0, named: $0.property.name, in: entity.name)
        }
        for property in entity.fetchedProperties {
            if places[StoredText(property.destination)] == nil {
                note(
                    entity.name, property.name,
                    "fetches '\(property.destination)', which the model lacks; left out")
            } else {
                description.fetchedProperties.append(property)
            }
        }
        for name in entity.unknownProperties {
            note(entity.name, name, "fetched property; left out")
        }
        descriptions.append(description)
    }

    /// Returns the description of an attribute; nil if it is left out.
    ///
    /// - Parameters:
    ///   - attribute: The attribute.
    ///   - path: The attribute's name, after the names of the composites that have it.
    ///   - entity: The name of the entity.
    private mutating func description(
        of attribute: ForeignAttribute, named path: String, in entity: String
    ) -> AttributeDescription? {
        let property = attribute.property
        if attribute.type == .composite { return composite(attribute, named: path, in: entity) }
        var type = attribute.type
        var codableType: CodableType?
        if property.isTransient {
            // Nothing of a transient attribute is stored, so any type will do.
            if !AttributeType.supported.contains(type) { type = .undefined }
        } else if type == .transformable {
            // An attribute without a type name has the type of its transformer.
            codableType = (attribute.valueTypeName ?? attribute.valueTransformerName)
                .flatMap { codableTypes[StoredText($0)] }
            if codableType == nil, !keepsTransformables {
                note(
                    entity, path, "transformable; read as binary data as it is stored",
                    isNote: true)
                type = .binaryData
            }
        } else if !AttributeType.supported.contains(type) {
            note(entity, path, "of type \(type); left out")
            return nil
        }
        // Elements of composites are named by paths, and stores cannot derive them.
        let isElement = StoredText(path) != StoredText(property.name)
        let derivation =
            isElement ? nil : attribute.derivation.flatMap { DerivationExpression($0) }
        if attribute.isDerived, derivation == nil {
            let source = attribute.derivation.map { " from '\($0)'" } ?? ""
            note(entity, path, "derived\(source); read as it is stored")
        }
        var description = AttributeDescription(
            property.name, type, isOptional: property.isOptional,
            isTransient: property.isTransient,
            allowsExternalBinaryDataStorage: attribute.isExternal
                && (type == .binaryData || type == .transformable) && !property.isTransient,
            preservesValueInHistoryOnDeletion: attribute.isPreservedOnDeletion,
            renamingIdentifier: property.renamingIdentifier,
            versionHashModifier: property.versionHashModifier, userInfo: property.userInfo)
        description.codableType = codableType
        if codableType != nil { description.valueTransformerName = attribute.valueTransformerName }
        description.derivationExpression = derivation?.description
        addDefault(of: attribute, to: &description, named: path, in: entity)
        description.rules = attribute.rules
        if !attribute.rules.isEmpty, let problem = description.problemWithRules {
            note(entity, path, "\(problem) The rules are left out")
            description.rules = AttributeRules()
        }
        return description
    }

    private mutating func composite(
        _ attribute: ForeignAttribute, named path: String, in entity: String
    ) -> AttributeDescription? {
        let property = attribute.property
        if property.isTransient {
            note(entity, path, "a transient composite; left out")
            return nil
        }
        let elements = attribute.elements.compactMap {
            description(of: $0, named: "\(path).\($0.property.name)", in: entity)
        }
        if elements.isEmpty {
            note(entity, path, "a composite without elements; left out", isNote: true)
            return nil
        }
        return .composite(
            property.name, isOptional: property.isOptional, elements: elements,
            renamingIdentifier: property.renamingIdentifier,
            versionHashModifier: property.versionHashModifier, userInfo: property.userInfo)
    }

    private mutating func addDefault(
        of attribute: ForeignAttribute, to description: inout AttributeDescription,
        named path: String, in entity: String
    ) {
        guard description.type == attribute.type, description.type != .undefined,
            description.type != .transformable
        else { return }
        if let value = attribute.defaultValue.stored(as: description.type),
            description.type.problem(with: value) == nil
        {
            description.defaultValue = value
        } else {
            note(entity, path, "its default value does not fit \(description.type); left out")
        }
    }
}
