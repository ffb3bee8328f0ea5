import DuramenModel

/// A model as far as model caches can say it.
enum ExpressibleModel {
    /// The descriptions that are to be read from the cache of a model.
    static func descriptions(of model: ManagedObjectModel) -> [EntityDescription] {
        model.descriptions.map { entity in
            var entity = entity
            entity.managedObjectClass = nil
            entity.renamingIdentifier = old(entity.renamingIdentifier, entity.name)
            entity.attributes = entity.attributes.flatMap { attributes($0, isOptional: false) }
            entity.relationships = entity.relationships.map { relationship in
                var relationship = relationship
                relationship.renamingIdentifier = old(
                    relationship.renamingIdentifier, relationship.name)
                // A cache takes it for a to-one.
                if relationship.maximumCount == 1 { relationship.maximumCount = nil }
                return relationship
            }
            // The reader does not know their predicates.
            entity.fetchedProperties = []
            entity.uniquenessConstraints = entity.uniquenessConstraints.map { $0.map(flat) }
            entity.indexes = entity.indexes.map { index in
                IndexDescription(
                    name: index.name,
                    elements: index.elements.map {
                        .init(flat($0.property), isAscending: $0.isAscending)
                    })
            }
            return entity
        }
    }

    /// Whether the checksum of a model is that of what is read back.
    static func keepsChecksum(_ model: ManagedObjectModel) -> Bool {
        model.descriptions.allSatisfy { entity in
            entity.attributes.allSatisfy {
                $0.type != .composite && $0.derivationExpression == nil
            } && entity.relationships.allSatisfy { $0.maximumCount != 1 }
        }
    }

    private static func attributes(
        _ attribute: AttributeDescription, isOptional: Bool
    ) -> [AttributeDescription] {
        if attribute.type == .composite {
            return attribute.elements.flatMap { element in
                attributes(element, isOptional: isOptional || attribute.isOptional).map {
                    var element = $0
                    if attribute.renamingIdentifier != nil || element.renamingIdentifier != nil {
                        let names = [
                            attribute.renamingIdentifier ?? attribute.name,
                            element.renamingIdentifier ?? element.name,
                        ]
                        element.renamingIdentifier = names.joined(separator: "_")
                    }
                    element.name = "\(attribute.name)_\(element.name)"
                    return element
                }
            }
        }
        var attribute = attribute
        attribute.isOptional = attribute.isOptional || isOptional
        attribute.renamingIdentifier = old(attribute.renamingIdentifier, attribute.name)
        attribute.isConfidential = false
        attribute.derivationExpression = nil
        attribute.rules = AttributeRules()
        if attribute.type == .transformable {
            attribute.defaultValue = .null
            attribute.valueTransformerName = attribute.valueTransformerName ?? "DuramenJSON"
        }
        return [attribute]
    }

    private static func old(_ identifier: String?, _ name: String) -> String? {
        identifier.map { StoredText($0) } == StoredText(name) ? nil : identifier
    }

    private static func flat(_ path: String) -> String { path.replacing(".", with: "_") }
}
