/// Says a foreign model in the words of ``EntityDescription``, and notes what it cannot say.
///
/// Every decision is one function here; a feature that models learn takes one away.
public struct ForeignModelTranslation: Sendable {
    public internal(set) var descriptions: [EntityDescription] = []
    public private(set) var findings: [ForeignModelFinding] = []
    let entities: [ForeignEntity]
    /// The place of each entity by its name.
    private(set) var places: [StoredText: Int] = [:]
    private let codableTypes: [StoredText: CodableType]
    private let keepsTransformables: Bool

    /// - Parameters:
    ///   - model: A model whose entities list what they declare themselves.
    ///   - codableTypes: What values of transformable attributes are, by the names that the model
    ///     has for their types. Other attributes of the kind are read as binary data.
    ///   - keepsTransformables: Whether these are to be told from binary data, for whoever only
    ///     compares descriptions: no model can be made of them.
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

    /// - Parameter isNote: Whether nothing is lost, and there is nothing to be changed.
    mutating func note(
        _ entity: String, _ property: String?, _ message: String, isNote: Bool = false
    ) {
        findings.append(
            ForeignModelFinding(
                entity: entity, property: property, message: message, isNote: isNote))
    }

    // MARK: - The model

    /// The model of the descriptions.
    ///
    /// A derivation that no store here can compute makes no model unusable: its attribute becomes a
    /// stored one, and that is noted. A derivation from what is not there stays a mistake.
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

    /// Makes a derived attribute a stored one.
    ///
    /// - Returns: Whether the mistake is such that this helps.
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

    /// - Parameter path: The attribute's name, after those of the composites that it stands in.
    private mutating func description(
        of attribute: ForeignAttribute, named path: String, in entity: String
    ) -> AttributeDescription? {
        let property = attribute.property
        if attribute.type == .composite { return composite(attribute, named: path, in: entity) }
        var type = attribute.type
        var codableType: CodableType?
        if property.isTransient {
            // Nothing of it is stored, so that any type will do.
            if !AttributeType.supported.contains(type) { type = .undefined }
        } else if type == .transformable {
            // An attribute that names no type takes that of its transformer.
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
        // Elements of composites are named by paths, and no store here derives them.
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
