extension ModelArchive {
    /// Creates the archive of a model.
    init(_ model: ManagedObjectModel) {
        checksum = model.versionChecksum
        entities = model.descriptions.map { Entity($0) }
        configurations = Self.unlessEmpty(
            model.configurations.map { Configuration(name: $0.name, entities: $0.entities) })
        versionIdentifiers = Self.unlessEmpty(model.versionIdentifiers)
    }

    /// Returns the descriptions in the archive, from which a model can be made.
    ///
    /// - Parameter codableTypes: The types of transformable attributes, by their identifiers.
    func descriptions(
        _ codableTypes: [StoredText: CodableType]
    ) throws(ModelError) -> [EntityDescription] {
        var result: [EntityDescription] = []
        for entity in entities { result.append(try entity.description(codableTypes)) }
        return result
    }

    fileprivate static func unlessEmpty<C: Collection>(_ values: C) -> C? {
        values.isEmpty ? nil : values
    }

    /// Returns nil in place of a usual value, so that the archive leaves it out.
    fileprivate static func unless<Value: Equatable>(_ usual: Value, _ value: Value) -> Value? {
        value == usual ? nil : value
    }
}

extension ModelArchive.Entity {
    fileprivate init(_ description: EntityDescription) {
        name = description.name
        superentity = description.superentity
        isAbstract = ModelArchive.unless(false, description.isAbstract)
        attributes = ModelArchive.unlessEmpty(
            description.attributes.map { ModelArchive.Attribute($0) })
        relationships = ModelArchive.unlessEmpty(
            description.relationships.map { ModelArchive.Relationship($0) })
        fetchedProperties = ModelArchive.unlessEmpty(
            description.fetchedProperties.map { ModelArchive.FetchedProperty($0) })
        uniquenessConstraints = ModelArchive.unlessEmpty(description.uniquenessConstraints)
        indexes = ModelArchive.unlessEmpty(
            description.indexes.map { index in
                ModelArchive.Index(
                    name: index.name,
                    elements: index.elements.map { .init($0.property, $0.isAscending) })
            })
        renamingIdentifier = description.renamingIdentifier
        versionHashModifier = description.versionHashModifier
        userInfo = ModelArchive.unlessEmpty(description.userInfo)
    }

    fileprivate func description(
        _ codableTypes: [StoredText: CodableType]
    ) throws(ModelError) -> EntityDescription {
        var description = EntityDescription(
            name: name, superentity: superentity, isAbstract: isAbstract ?? false,
            renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier,
            relationships: (relationships ?? []).map(\.description),
            uniquenessConstraints: uniquenessConstraints ?? [],
            indexes: (indexes ?? []).map { index in
                IndexDescription(
                    name: index.name,
                    elements: index.elements.map { .init($0.path, isAscending: $0.isAscending) })
            }, userInfo: userInfo ?? [:])
        for attribute in attributes ?? [] {
            description.attributes.append(try attribute.description(codableTypes))
        }
        description.fetchedProperties = (fetchedProperties ?? []).map(\.description)
        return description
    }
}

extension ModelArchive.Attribute {
    fileprivate init(_ description: AttributeDescription) {
        name = description.name
        type = description.type.rawValue
        isOptional = ModelArchive.unless(false, description.isOptional)
        defaultValue = ModelArchive.Literal(description.defaultValue)
        isTransient = ModelArchive.unless(false, description.isTransient)
        allowsExternalBinaryDataStorage = ModelArchive.unless(
            false, description.allowsExternalBinaryDataStorage)
        preservesValueInHistoryOnDeletion = ModelArchive.unless(
            false, description.preservesValueInHistoryOnDeletion)
        isConfidential = ModelArchive.unless(false, description.isConfidential)
        elements = ModelArchive.unlessEmpty(
            description.elements.map { ModelArchive.Attribute($0) })
        codableType = description.codableType?.identifier
        valueTransformerName = description.valueTransformerName
        renamingIdentifier = description.renamingIdentifier
        versionHashModifier = description.versionHashModifier
        userInfo = ModelArchive.unlessEmpty(description.userInfo)
        derivationExpression = description.derivationExpression
        rules = description.rules.isEmpty ? nil : ModelArchive.Rules(description.rules)
    }

    fileprivate func description(
        _ codableTypes: [StoredText: CodableType]
    ) throws(ModelError) -> AttributeDescription {
        var description = AttributeDescription(
            name, AttributeType(rawValue: type), isOptional: isOptional ?? false,
            default: try defaultValue?.value() ?? .null, isTransient: isTransient ?? false,
            allowsExternalBinaryDataStorage: allowsExternalBinaryDataStorage ?? false,
            preservesValueInHistoryOnDeletion: preservesValueInHistoryOnDeletion ?? false,
            isConfidential: isConfidential ?? false, renamingIdentifier: renamingIdentifier,
            versionHashModifier: versionHashModifier, userInfo: userInfo ?? [:])
        for element in elements ?? [] {
            description.elements.append(try element.description(codableTypes))
        }
        if let codableType {
            description.codableType =
                codableTypes[StoredText(codableType)] ?? CodableType(unregistered: codableType)
        }
        description.valueTransformerName = valueTransformerName
        description.derivationExpression = derivationExpression
        if let rules { description.rules = try rules.rules() }
        return description
    }
}

extension ModelArchive.Rules {
    fileprivate init(_ rules: AttributeRules) {
        minimum = ModelArchive.Literal(rules.minimum)
        maximum = ModelArchive.Literal(rules.maximum)
        minimumLength = rules.minimumLength
        maximumLength = rules.maximumLength
        pattern = rules.pattern
        predicates = ModelArchive.unlessEmpty(
            rules.predicates.map { .init(format: $0.format, warning: $0.warning) })
    }

    fileprivate func rules() throws(ModelError) -> AttributeRules {
        var rules = AttributeRules()
        rules.minimum = try minimum?.value() ?? .null
        rules.maximum = try maximum?.value() ?? .null
        rules.minimumLength = minimumLength
        rules.maximumLength = maximumLength
        rules.pattern = pattern
        rules.predicates = (predicates ?? []).map {
            ValidationPredicate($0.format, warning: $0.warning)
        }
        return rules
    }
}

extension ModelArchive.Relationship {
    fileprivate init(_ description: RelationshipDescription) {
        name = description.name
        destination = description.destination
        isToMany = ModelArchive.unless(false, description.isToMany)
        isOptional = ModelArchive.unless(true, description.isOptional)
        deleteRule = ModelArchive.unless(.nullify, description.deleteRule)
        inverse = description.inverse
        isOrdered = ModelArchive.unless(false, description.isOrdered)
        minimumCount = ModelArchive.unless(0, description.minimumCount)
        maximumCount = description.maximumCount
        renamingIdentifier = description.renamingIdentifier
        versionHashModifier = description.versionHashModifier
        userInfo = ModelArchive.unlessEmpty(description.userInfo)
    }

    fileprivate var description: RelationshipDescription {
        var description =
            isToMany == true
            ? RelationshipDescription.toMany(name, destination: destination)
            : .toOne(name, destination: destination)
        description.isOptional = isOptional ?? true
        description.deleteRule = deleteRule ?? .nullify
        description.inverse = inverse
        description.isOrdered = isOrdered ?? false
        description.minimumCount = minimumCount ?? 0
        description.maximumCount = maximumCount
        description.renamingIdentifier = renamingIdentifier
        description.versionHashModifier = versionHashModifier
        description.userInfo = userInfo ?? [:]
        return description
    }
}

extension ModelArchive.FetchedProperty {
    fileprivate init(_ description: FetchedPropertyDescription) {
        name = description.name
        destination = description.destination
        predicateFormat = description.predicateFormat
        sortKeys = ModelArchive.unlessEmpty(
            description.sortKeys.map { .init($0.keyPath, $0.isAscending) })
        fetchLimit = description.fetchLimit
        userInfo = ModelArchive.unlessEmpty(description.userInfo)
    }

    fileprivate var description: FetchedPropertyDescription {
        FetchedPropertyDescription(
            name, destination: destination, predicateFormat: predicateFormat,
            sortKeys: (sortKeys ?? []).map { .init($0.path, isAscending: $0.isAscending) },
            fetchLimit: fetchLimit, userInfo: userInfo ?? [:])
    }
}

extension ModelArchive.Key {
    fileprivate init(_ path: String, _ isAscending: Bool) {
        self.init(path: path, isDescending: isAscending ? nil : true)
    }

    fileprivate var isAscending: Bool { isDescending != true }
}
