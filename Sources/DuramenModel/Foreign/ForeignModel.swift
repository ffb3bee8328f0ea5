public import Foundation

/// A model in the words of Core Data's files, before anybody asked what of it can be said here.
public struct ForeignModel: Sendable {
    public var entities: [ForeignEntity] = []
    public var versionIdentifiers: [String] = []

    /// No entities.
    public init() {}

    /// The same model, whose entities list what they declare themselves only: archives of models
    /// repeat what is inherited.
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
    public var name: String
    public var superentity: String?
    public var isAbstract = false
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: String] = [:]
    public var attributes: [ForeignAttribute] = []
    public var relationships: [ForeignRelationship] = []
    public var fetchedProperties: [FetchedPropertyDescription] = []
    /// Names of properties that cannot be told.
    public var unknownProperties: [String] = []
    public var uniqueProperties: [[String]] = []
    public var indexes: [IndexDescription] = []

    /// An entity without properties.
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

/// The description that all kinds of properties of a foreign model share.
public struct ForeignProperty: Sendable {
    public var name: String
    public var isOptional: Bool
    public var isTransient: Bool
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: String]

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
    public var property: ForeignProperty
    public var type: AttributeType
    public var isDerived: Bool
    /// The expression that it is derived from, where the model has it as text.
    public var derivation: String?
    public var isExternal: Bool
    public var isPreservedOnDeletion: Bool
    public var defaultValue: ForeignValue
    /// The rules for values, without those that do not fit the type.
    public var rules = AttributeRules()
    /// The name of the type that a transformable attribute's values are of, where the model has
    /// one.
    public var valueTypeName: String?
    /// The name of the transformer that makes bytes of such values; nil for none.
    public var valueTransformerName: String?
    /// The elements of a composite attribute.
    public var elements: [ForeignAttribute] = []

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
    public var property: ForeignProperty
    public var destination: String
    public var inverse: String?
    public var isToMany: Bool
    public var isOrdered: Bool
    public var deleteRule: DeleteRule
    public var minimumCount: Int
    /// 0 for any number.
    public var maximumCount: Int

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

/// A default value, before anybody asked whether it suits its attribute.
public enum ForeignValue: Sendable {
    case none
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(String)
    case date(Double)
    case data(Data)
    case uuid(UUID)
    case uri(String)
    /// Any other value, by the name of its class or as it is written.
    case foreign(String)
}

/// One decision that was taken to say a foreign model here.
public struct ForeignModelFinding: Sendable {
    public let entity: String
    public let property: String?
    public let message: String
    /// Whether nothing is lost by it, and nobody has to change anything.
    public let isNote: Bool

    public init(entity: String, property: String?, message: String, isNote: Bool = false) {
        self.entity = entity
        self.property = property
        self.message = message
        self.isNote = isNote
    }
}
