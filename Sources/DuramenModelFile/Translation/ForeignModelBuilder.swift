import DuramenModel
import DuramenQuery

/// Converts a document to the form from which all Core Data models are translated.
struct ForeignModelBuilder {
    private(set) var findings: [ForeignModelFinding] = []
    private let document: ModelDocument
    private let composites: [String: ModelDocument.Composite]
    // Nested composites may double at each level, so no more elements are read than an entity can
    // have.
    private var elementCount = 0
    private static let mostElements = 4_097
    private static let mostLevels = 64

    init(_ document: ModelDocument) {
        self.document = document
        composites = Dictionary(
            document.composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func model() -> ForeignModel {
        var model = ForeignModel()
        model.versionIdentifiers = document.versionIdentifiers
        model.entities = document.entities.map { entity($0) }
        return model
    }

    /// Adds a finding.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - property: The name of the property; nil for the entity.
    ///   - message: A description of the decision.
    ///   - isNote: Whether nothing is lost and nothing needs a change.
    private mutating func note(
        _ entity: String, _ property: String?, _ message: String, isNote: Bool = false
    ) {
        findings.append(
            ForeignModelFinding(
                entity: entity, property: property, message: message, isNote: isNote))
    }

    private mutating func entity(_ entity: ModelDocument.Entity) -> ForeignEntity {
        var foreign = ForeignEntity(name: entity.name)
        foreign.superentity = entity.parent
        foreign.isAbstract = entity.isAbstract
        foreign.renamingIdentifier = entity.element.renamingIdentifier
        foreign.versionHashModifier = entity.element.versionHashModifier
        foreign.userInfo = entity.element.userInfo
        if let text = entity.element["codeGenerationType"],
            ModelDocument.Entity.CodeGeneration(rawValue: text) == nil
        {
            note(entity.name, nil, "codeGenerationType '\(text)' is not known; taken for none")
        }
        foreign.attributes = entity.attributes.compactMap {
            attribute($0, named: $0.name, in: entity.name, inside: [])
        }
        foreign.relationships = entity.relationships.map { relationship($0, in: entity.name) }
        foreign.fetchedProperties = entity.fetchedProperties.compactMap {
            fetchedProperty($0, in: entity.name)
        }
        foreign.uniqueProperties = entity.uniquenessConstraints
        addIndexes(of: entity, to: &foreign)
        return foreign
    }

    private mutating func fetchedProperty(
        _ property: ModelDocument.FetchedProperty, in entity: String
    ) -> FetchedPropertyDescription? {
        guard let request = property.request else {
            note(entity, property.name, "a fetched property without a request; left out")
            return nil
        }
        if let format = request.predicate {
            do throws(PredicateFormatError) {
                _ = try FetchPredicate(format: format, arguments: [])
            } catch {
                note(
                    entity, property.name,
                    "its condition is not a predicate; left out. \(error.message)")
                return nil
            }
        }
        let limit = request.element["fetchLimit"].flatMap { Int($0) } ?? 0
        return FetchedPropertyDescription(
            property.name, destination: request.entity, predicateFormat: request.predicate,
            // In model files, 0 means no limit.
            fetchLimit: limit > 0 ? limit : nil, userInfo: property.element.userInfo)
    }

    // MARK: - Attributes

    /// Returns an attribute; nil if it is left out.
    ///
    /// - Parameters:
    ///   - attribute: The attribute in the document.
    ///   - path: The attribute's path.
    ///   - entity: The name of the entity.
    ///   - inside: The composites that have the attribute, outermost first.
    private mutating func attribute(
        _ attribute: ModelDocument.Attribute, named path: String, in entity: String,
        inside: [String]
    ) -> ForeignAttribute? {
        elementCount = inside.isEmpty ? 0 : elementCount + 1
        if elementCount > Self.mostElements { return nil }
        guard let type = attribute.type else {
            note(
                entity, path, "of type '\(attribute.typeName ?? "")', which is not known; left out")
            return nil
        }
        var foreign = ForeignAttribute(
            property: property(
                attribute.element, isOptional: attribute.isOptional,
                isTransient: attribute.isTransient),
            type: type, isDerived: attribute.isDerived,
            isExternal: attribute.element.flag("allowsExternalBinaryDataStorage"),
            isPreservedOnDeletion: attribute.element.flag("preserveAfterDeletion"),
            defaultValue: .none)
        if attribute.isDerived { foreign.derivation = attribute.derivation }
        if let text = attribute.defaultValue {
            foreign.defaultValue = ForeignValue(text, type: type)
        }
        foreign.rules = rules(of: attribute, type: type, named: path, in: entity)
        foreign.valueTypeName = attribute.customClassName
        foreign.valueTransformerName = attribute.valueTransformerName
        guard type == .composite else { return foreign }
        guard let composite = attribute.composite.flatMap({ composites[$0] }) else {
            note(entity, path, "its composite '\(attribute.composite ?? "")' is missing; left out")
            return nil
        }
        guard !inside.contains(composite.name) else {
            note(entity, path, "the composite '\(composite.name)' contains itself; left out")
            return nil
        }
        guard inside.count < Self.mostLevels else {
            note(entity, path, "stands in more than \(Self.mostLevels) composites; left out")
            return nil
        }
        foreign.elements = composite.attributes.compactMap {
            self.attribute(
                $0, named: "\(path).\($0.name)", in: entity, inside: inside + [composite.name])
        }
        if inside.isEmpty, elementCount > Self.mostElements {
            note(entity, path, "has more than \(Self.mostElements - 1) elements; left out")
            return nil
        }
        return foreign
    }

    private func property(
        _ element: MarkupElement, isOptional: Bool, isTransient: Bool
    ) -> ForeignProperty {
        ForeignProperty(
            name: element["name"] ?? "", isOptional: isOptional, isTransient: isTransient,
            renamingIdentifier: element.renamingIdentifier,
            versionHashModifier: element.versionHashModifier, userInfo: element.userInfo)
    }

    /// Returns the rules of an attribute. For text, limits of numbers in the file are limits of its
    /// length.
    private mutating func rules(
        of attribute: ModelDocument.Attribute, type: AttributeType, named path: String,
        in entity: String
    ) -> AttributeRules {
        var rules = AttributeRules()
        rules.pattern = attribute.pattern
        if type == .string || type == .uri {
            rules.minimumLength = length(attribute.minimum, named: path, in: entity)
            rules.maximumLength = length(attribute.maximum, named: path, in: entity)
        } else {
            rules.minimum = limit(attribute.minimum, type: type, named: path, in: entity)
            rules.maximum = limit(attribute.maximum, type: type, named: path, in: entity)
        }
        return rules
    }

    private mutating func length(
        _ text: String?, named path: String, in entity: String
    ) -> Int? {
        guard let text = text.nonEmpty else { return nil }
        if let length = Int(text) { return length }
        note(entity, path, "its limit '\(text)' is not a length; left out")
        return nil
    }

    private mutating func limit(
        _ text: String?, type: AttributeType, named path: String, in entity: String
    ) -> StoredValue {
        guard let text = text.nonEmpty else { return .null }
        if let value = ForeignValue(text, type: type).stored(as: type) { return value }
        note(entity, path, "its limit '\(text)' is not a value of type \(type); left out")
        return .null
    }

    // MARK: - Relationships and indexes

    private mutating func relationship(
        _ relationship: ModelDocument.Relationship, in entity: String
    ) -> ForeignRelationship {
        let rules: [String: DeleteRule] = [
            "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
        ]
        let rule = rules[relationship.deletionRule]
        if rule == nil {
            note(
                entity, relationship.name,
                "its deletion rule '\(relationship.deletionRule)' is not known; taken for Nullify")
        }
        return ForeignRelationship(
            property: property(
                relationship.element, isOptional: relationship.isOptional,
                isTransient: relationship.element.flag("transient")),
            destination: relationship.destination, inverse: relationship.inverse,
            isToMany: relationship.isToMany,
            isOrdered: relationship.isToMany && relationship.isOrdered,
            deleteRule: rule ?? .nullify, minimumCount: relationship.minimumCount ?? 0,
            maximumCount: relationship.maximumCount ?? 0)
    }

    private mutating func addIndexes(
        of entity: ModelDocument.Entity, to foreign: inout ForeignEntity
    ) {
        for index in entity.indexes {
            let elements = index.elements
            let properties = elements.compactMap(\.property)
            guard index.condition == nil, properties.count == elements.count,
                elements.allSatisfy({ $0.type == "Binary" })
            else {
                note(
                    entity.name, nil,
                    "the index '\(index.name ?? "")' is partial, or over expressions or space; left "
                        + "out", isNote: true)
                continue
            }
            guard let name = index.name else {
                foreign.indexes.append(IndexDescription(properties: properties))
                continue
            }
            foreign.indexes.append(
                IndexDescription(
                    name: name,
                    elements: zip(properties, elements).map {
                        .init($0, isAscending: $1.isAscending)
                    }))
        }
        for attribute in entity.attributes where attribute.isIndexed && !attribute.isTransient {
            foreign.indexes.append(IndexDescription(attribute.name))
        }
    }
}
