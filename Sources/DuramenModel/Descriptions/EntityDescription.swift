/// The description of one entity, as you write it in a model.
///
/// Give descriptions to ``ManagedObjectModel/init(_:configurations:versionIdentifiers:)``, which
/// checks them all and resolves them to ``Entity`` values.
public struct EntityDescription: Sendable, Hashable {
    /// The entity's name, unique within the model.
    public var name: String
    /// The name of the entity whose properties this one inherits.
    public var superentity: String?
    /// Whether no object may be of exactly this entity.
    public var isAbstract: Bool
    /// The attributes that the entity declares itself.
    public var attributes: [AttributeDescription]
    /// The relationships that the entity declares itself.
    public var relationships: [RelationshipDescription]
    /// The fetched properties that the entity declares itself.
    public var fetchedProperties: [FetchedPropertyDescription] = []
    /// Lists of attribute names whose values together may occur once among the entity and its
    /// sub-entities.
    public var uniquenessConstraints: [[String]]
    /// Orders that stores keep ready for queries.
    public var indexes: [IndexDescription]
    /// The name in an earlier version of the model, for migration.
    public var renamingIdentifier: String?
    /// Text that is mixed into the version hash, to distinguish versions that are otherwise equal.
    public var versionHashModifier: String?
    /// Notes of the application; they take no part in the version hash.
    public var userInfo: [String: String]
    /// The Swift class of the entity's objects; nil for the general one.
    public var managedObjectClass: ManagedObjectClass?
    /// Whether somebody described the entity; false for what a class that says nothing of its
    /// entity answers.
    package private(set) var isDescribed = true

    /// Describes an entity.
    public init(
        name: String, superentity: String? = nil, isAbstract: Bool = false,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
        uniquenessConstraints: [[String]] = [], indexes: [IndexDescription] = [],
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.superentity = superentity
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }

    /// What a class that says nothing of its entity answers.
    package static func undescribed(_ name: String) -> EntityDescription {
        var description = EntityDescription(name: name)
        description.isDescribed = false
        return description
    }
}

/// The Swift class of an entity's objects, which the model carries without knowing what it is.
public struct ManagedObjectClass: Sendable, Hashable {
    /// The class.
    public let type: AnyObject.Type

    /// Wraps a class.
    public init(_ type: AnyObject.Type) { self.type = type }

    /// True for the same class.
    public static func == (a: ManagedObjectClass, b: ManagedObjectClass) -> Bool {
        a.type == b.type
    }

    /// Feeds the class's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}
