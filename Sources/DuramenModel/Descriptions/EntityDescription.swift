/// The description of one entity, as you write it in a model.
///
/// Pass descriptions to `ManagedObjectModel.init`, which checks them all and resolves them to
/// ``Entity`` values.
public struct EntityDescription: Sendable, Hashable {
    /// The entity's name, unique within the model.
    public var name: String
    /// The name of the entity whose properties this one inherits.
    public var superentity: String?
    /// Whether no object can belong to exactly this entity.
    public var isAbstract: Bool
    /// The attributes that the entity declares itself.
    public var attributes: [AttributeDescription]
    /// The relationships that the entity declares itself.
    public var relationships: [RelationshipDescription]
    /// The fetched properties that the entity declares itself.
    public var fetchedProperties: [FetchedPropertyDescription] = []
    /// Lists of properties whose values together must be unique among objects of the entity and its
    /// sub-entities.
    public var uniquenessConstraints: [[String]]
    /// Indexes that stores keep for queries.
    public var indexes: [IndexDescription]
    /// The name in an earlier version of the model, for migration.
    public var renamingIdentifier: String?
    /// Text that is mixed into the version hash, to distinguish versions that are otherwise equal.
    public var versionHashModifier: String?
    /// Notes of the application. They are not part of the version hash.
    public var userInfo: [String: String]
    /// The Swift class of the entity's objects; nil for the general class.
    public var managedObjectClass: ManagedObjectClass?
    /// Whether the entity was described; false for the placeholder of a class without a
    /// description.
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

    /// Returns the placeholder for a class that does not describe its entity.
    package static func undescribed(_ name: String) -> EntityDescription {
        var description = EntityDescription(name: name)
        description.isDescribed = false
        return description
    }
}

/// The Swift class of an entity's objects. The model passes it on without using it.
public struct ManagedObjectClass: Sendable, Hashable {
    /// The class.
    public let type: AnyObject.Type

    /// Wraps a class.
    public init(_ type: AnyObject.Type) { self.type = type }

    /// Returns whether two values wrap one class.
    public static func == (a: ManagedObjectClass, b: ManagedObjectClass) -> Bool {
        a.type == b.type
    }

    /// Hashes the class's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}
