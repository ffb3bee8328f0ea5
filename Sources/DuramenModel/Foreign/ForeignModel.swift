public import Foundation

/// A Core Data model as its file describes it, before it is translated.
public struct ForeignModel: Sendable {
    /// The entities of the model.
    public var entities: [ForeignEntity] = []
    /// The version identifiers of the model.
    public var versionIdentifiers: [String] = []

    /// Creates a model without entities.
    public init() {}

    /// The model with inherited properties removed from each entity. Archives of models repeat
    /// them.
    public var withoutInherited: ForeignModel {
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
public struct ForeignEntity: Sendable {
    /// The entity's name.
    public var name: String
    /// The name of the parent entity; nil for none.
    public var superentity: String?
    /// Whether the entity is abstract.
    public var isAbstract = false
    /// The name in an earlier version of the model; nil for none.
    public var renamingIdentifier: String?
    /// Text that is mixed into the version hash; nil for none.
    public var versionHashModifier: String?
    /// Notes of the application.
    public var userInfo: [String: String] = [:]
    /// The attributes of the entity.
    public var attributes: [ForeignAttribute] = []
    /// The relationships of the entity.
    public var relationships: [ForeignRelationship] = []
    /// The fetched properties of the entity.
    public var fetchedProperties: [FetchedPropertyDescription] = []
    /// The names of properties whose kind is unknown.
    public var unknownProperties: [String] = []
    /// The uniqueness constraints, as lists of names of properties.
    public var uniqueProperties: [[String]] = []
    /// The indexes of the entity.
    public var indexes: [IndexDescription] = []

    /// Creates an entity without properties.
    public init(name: String) { self.name = name }

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

/// The part of a property's description that all kinds of property have.
public struct ForeignProperty: Sendable {
    /// The property's name.
    public var name: String
    /// Whether the property may be null.
    public var isOptional: Bool
    /// Whether the property is never stored.
    public var isTransient: Bool
    /// The name in an earlier version of the model; nil for none.
    public var renamingIdentifier: String?
    /// Text that is mixed into the version hash; nil for none.
    public var versionHashModifier: String?
    /// Notes of the application.
    public var userInfo: [String: String]

    /// Creates a description of a property.
    public init(
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
public struct ForeignAttribute: Sendable {
    /// The description of the property.
    public var property: ForeignProperty
    /// The type of the values.
    public var type: AttributeType
    /// Whether stores compute the value.
    public var isDerived: Bool
    /// The expression from which stores compute the value, if the model has it as text.
    public var derivation: String?
    /// Whether stores may keep large values in separate files.
    public var isExternal: Bool
    /// Whether the value is kept in the history when its object is deleted.
    public var isPreservedOnDeletion: Bool
    /// The value of a new object.
    public var defaultValue: ForeignValue
    /// The rules for values. Rules that do not fit the type are left out.
    public var rules = AttributeRules()
    /// The name of the type of a transformable attribute's values; nil if the model has none.
    public var valueTypeName: String?
    /// The name of the transformer that encodes a transformable attribute's values; nil for none.
    public var valueTransformerName: String?
    /// The elements of a composite attribute.
    public var elements: [ForeignAttribute] = []

    /// Creates an attribute.
    public init(
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
public struct ForeignRelationship: Sendable {
    /// The description of the property.
    public var property: ForeignProperty
    /// The name of the destination entity.
    public var destination: String
    /// The name of the inverse relationship; nil for none.
    public var inverse: String?
    /// Whether the relationship is to-many.
    public var isToMany: Bool
    /// Whether the relationship keeps an order.
    public var isOrdered: Bool
    /// The effect on the destinations when the owner is deleted.
    public var deleteRule: DeleteRule
    /// The smallest number of destinations.
    public var minimumCount: Int
    /// The largest number of destinations; 0 for any number.
    public var maximumCount: Int

    /// Creates a relationship.
    public init(
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

/// A default value of a Core Data model, before it is converted to its attribute's type.
public enum ForeignValue: Sendable {
    /// No value.
    case none
    /// An integer, or a Boolean as 0 or 1.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A decimal number.
    case decimal(Decimal)
    /// Text.
    case text(String)
    /// A date, in seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// Bytes.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// A URI.
    case uri(String)
    /// Any other value: the name of its class, or its text.
    case foreign(String)
}

/// A decision in the translation of a Core Data model.
public struct ForeignModelFinding: Sendable {
    /// The name of the entity.
    public let entity: String
    /// The name of the property; nil if the finding is about the entity.
    public let property: String?
    /// A description of the decision.
    public let message: String
    /// Whether the finding is only a note: nothing is lost, and you need not change anything.
    public let isNote: Bool

    /// Creates a finding.
    public init(entity: String, property: String?, message: String, isNote: Bool = false) {
        self.entity = entity
        self.property = property
        self.message = message
        self.isNote = isNote
    }
}
