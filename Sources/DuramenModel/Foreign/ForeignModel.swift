package import Foundation

/// A model in the words of Core Data's files, before anybody asked what of it can be said here.
package struct ForeignModel {
    package var entities: [ForeignEntity] = []
    package var versionIdentifiers: [String] = []

    /// No entities.
    package init() {}

    /// The same model, whose entities list what they declare themselves only: archives of models
    /// repeat what is inherited.
    package var withoutInherited: ForeignModel {
        let names = Dictionary(
            entities.map { (StoredText($0.name), $0.propertyNames) },
            uniquingKeysWith: { first, _ in first })
        var model = self
        for place in entities.indices {
            guard let parent = entities[place].superentity,
                let inherited = names[StoredText(parent)]
            else { continue }
            model.entities[place].removeProperties(named: inherited)
        }
        return model
    }
}

/// One entity of a foreign model.
package struct ForeignEntity {
    package var name: String
    package var superentity: String?
    package var isAbstract = false
    package var renamingIdentifier: String?
    package var versionHashModifier: String?
    package var userInfo: [String: String] = [:]
    package var attributes: [ForeignAttribute] = []
    package var relationships: [ForeignRelationship] = []
    package var fetchedProperties: [FetchedPropertyDescription] = []
    /// Names of properties that cannot be told.
    package var unknownProperties: [String] = []
    package var uniqueProperties: [[String]] = []
    package var indexes: [IndexDescription] = []

    /// An entity without properties.
    package init(name: String) { self.name = name }

    fileprivate var propertyNames: Set<StoredText> {
        Set(
            (attributes.map(\.property.name) + relationships.map(\.property.name)
                + fetchedProperties.map(\.name) + unknownProperties).map { StoredText($0) })
    }

    fileprivate mutating func removeProperties(named names: Set<StoredText>) {
        attributes.removeAll { names.contains(StoredText($0.property.name)) }
        relationships.removeAll { names.contains(StoredText($0.property.name)) }
        fetchedProperties.removeAll { names.contains(StoredText($0.name)) }
        unknownProperties.removeAll { names.contains(StoredText($0)) }
    }
}

/// What all properties of a foreign model have.
package struct ForeignProperty {
    package var name: String
    package var isOptional: Bool
    package var isTransient: Bool
    package var renamingIdentifier: String?
    package var versionHashModifier: String?
    package var userInfo: [String: String]

    package init(
        name: String, isOptional: Bool, isTransient: Bool, renamingIdentifier: String?,
        versionHashModifier: String?, userInfo: [String: String]
    ) {
        self.name = name
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }
}

/// One attribute of a foreign model.
package struct ForeignAttribute {
    package var property: ForeignProperty
    package var type: AttributeType
    package var isDerived: Bool
    /// What it is derived from, where the model says that in words.
    package var derivation: String?
    package var isExternal: Bool
    package var isPreservedOnDeletion: Bool
    package var defaultValue: ForeignValue
    /// What values must fulfil; rules that do not suit the type are left out.
    package var rules = AttributeRules()
    /// The name of the type that a transformable attribute's values are of, where the model has
    /// one.
    package var valueTypeName: String?
    /// The name of the transformer that makes bytes of such values; nil for none.
    package var valueTransformerName: String?
    /// What a composite consists of.
    package var elements: [ForeignAttribute] = []

    package init(
        property: ForeignProperty, type: AttributeType, isDerived: Bool, isExternal: Bool,
        isPreservedOnDeletion: Bool, defaultValue: ForeignValue
    ) {
        self.property = property
        self.type = type
        self.isDerived = isDerived
        self.isExternal = isExternal
        self.isPreservedOnDeletion = isPreservedOnDeletion
        self.defaultValue = defaultValue
    }
}

/// One relationship of a foreign model.
package struct ForeignRelationship {
    package var property: ForeignProperty
    package var destination: String
    package var inverse: String?
    package var isToMany: Bool
    package var isOrdered: Bool
    package var deleteRule: DeleteRule
    package var minimumCount: Int
    /// 0 for any number.
    package var maximumCount: Int

    package init(
        property: ForeignProperty, destination: String, inverse: String?, isToMany: Bool,
        isOrdered: Bool, deleteRule: DeleteRule, minimumCount: Int, maximumCount: Int
    ) {
        self.property = property
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.deleteRule = deleteRule
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
    }
}

/// A default value, before anybody asked whether it suits its attribute.
package enum ForeignValue {
    case none
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(String)
    case date(Double)
    case data(Data)
    case uuid(UUID)
    case uri(String)
    /// What is none of these, by the name of its class or as it is written.
    case foreign(String)
}

/// One decision that was taken to say a foreign model here.
package struct ForeignModelFinding {
    package let entity: String
    package let property: String?
    package let message: String
    /// Whether nothing is lost by it, and nobody has to change anything.
    package let isNote: Bool

    package init(entity: String, property: String?, message: String, isNote: Bool = false) {
        self.entity = entity
        self.property = property
        self.message = message
        self.isNote = isNote
    }
}
