/// An entity of a resolved model. It is immutable and includes everything that it inherits.
public final class Entity: Sendable {
    /// The entity's place in ``ManagedObjectModel/entities``.
    public let id: EntityID
    /// The entity's name.
    public var name: String { declared.name }
    /// The process-wide number of the name, which object IDs contain.
    public let handle: EntityHandle
    /// Whether no object can belong to exactly this entity.
    public var isAbstract: Bool { declared.isAbstract }
    /// The entity whose properties this one inherits.
    public let superentity: EntityID?
    /// The topmost ancestor, or the entity itself. Keys are unique among all entities with one
    /// root.
    public let root: EntityID
    /// The direct sub-entities, in the order of their names.
    public let subentities: [EntityID]
    /// The entity itself and all its sub-entities, in ascending order.
    public let family: [EntityID]
    /// All attributes, inherited ones too, in the order of their slots.
    ///
    /// A composite is represented by its elements.
    public let attributes: [Attribute]
    /// All composite attributes, inherited ones too, in the order of their slots.
    public let composites: [CompositeAttribute]
    /// All attributes that stores do not keep, inherited ones too, by their indices.
    public let transientAttributes: [TransientAttribute]
    /// All relationships, inherited and hidden ones too: to-ones by slot, then to-manys by index.
    public let relationships: [Relationship]
    /// The to-many relationships among ``relationships``, by index.
    public let toManyRelationships: [Relationship]
    /// The slots of the entity's rows.
    public let layout: RowLayout
    /// All fetched properties, inherited ones too; those of ancestors come first.
    public let fetchedProperties: [FetchedPropertyDescription]
    /// The constraints that apply to the entity, inherited ones too.
    public let uniquenessConstraints: [UniquenessConstraint]
    /// The indexes that the entity declares itself.
    public var indexes: [IndexDescription] { declared.indexes }
    /// The digest of everything that affects the compatibility of stores (32 bytes, in Base64).
    public let versionHash: String
    /// The Swift class of the entity's objects; nil for the general class.
    public var managedObjectClass: ManagedObjectClass? { declared.managedObjectClass }
    /// The name in an earlier version of the model.
    public var renamingIdentifier: String? { declared.renamingIdentifier }
    /// Notes of the application.
    public var userInfo: [String: String] { declared.userInfo }

    /// The entity's own declaration.
    private let declared: Declaration
    private let properties: [StoredText: Property]
    private let compositesByName: [StoredText: CompositeAttribute]

    init(_ draft: EntityDraft) {
        id = draft.id
        handle = EntityHandle(name: draft.description.name)
        superentity = draft.superentity
        root = draft.root
        subentities = draft.subentities
        family = draft.family
        attributes = draft.attributes
        composites = draft.composites
        transientAttributes = draft.transientAttributes
        relationships = draft.relationships
        toManyRelationships = draft.relationships.filter(\.isToMany)
        layout = draft.layout
        fetchedProperties = draft.fetchedProperties
        uniquenessConstraints = draft.uniquenessConstraints
        versionHash = draft.versionHash
        declared = Declaration(draft.description)
        var properties: [StoredText: Property] = [:]
        for attribute in draft.attributes {
            properties[StoredText(attribute.name)] = .attribute(attribute)
        }
        for relationship in draft.relationships where !relationship.isHidden {
            properties[StoredText(relationship.name)] = .relationship(relationship)
        }
        self.properties = properties
        var composites: [StoredText: CompositeAttribute] = [:]
        for composite in draft.composites.flatMap(\.withNested) {
            composites[StoredText(composite.name)] = composite
        }
        compositesByName = composites
    }

    private struct Declaration {
        let name: String
        let isAbstract: Bool
        let indexes: [IndexDescription]
        let managedObjectClass: ManagedObjectClass?
        let renamingIdentifier: String?
        let userInfo: [String: String]

        init(_ description: EntityDescription) {
            name = description.name
            isAbstract = description.isAbstract
            indexes = description.indexes
            managedObjectClass = description.managedObjectClass
            renamingIdentifier = description.renamingIdentifier
            userInfo = description.userInfo
        }
    }

    /// Returns the stored property with a name, inherited or not, or nil. Elements of composites
    /// are named by their paths, such as `epicentre.latitude`.
    public func property(named name: String) -> Property? { properties[StoredText(name)] }

    /// Returns the composite attribute with a name or path, inherited or not, or nil.
    public func composite(named name: String) -> CompositeAttribute? {
        compositesByName.isEmpty ? nil : compositesByName[StoredText(name)]
    }

    /// Returns the transient attribute with a name, inherited or not, or nil.
    public func transientAttribute(named name: String) -> TransientAttribute? {
        let key = StoredText(name)
        return transientAttributes.first { StoredText($0.name) == key }
    }

    /// Returns the fetched property with a name, inherited or not, or nil.
    public func fetchedProperty(named name: String) -> FetchedPropertyDescription? {
        if fetchedProperties.isEmpty { return nil }
        let key = StoredText(name)
        return fetchedProperties.first { StoredText($0.name) == key }
    }

    /// Returns a relationship in the form that this entity has it, hidden or not; nil if the entity
    /// does not have it.
    public func relationship(_ id: RelationshipID) -> Relationship? {
        relationships.first { $0.id == id }
    }

    /// Returns whether objects of this entity are also objects of `other`.
    public func isKind(of other: Entity) -> Bool {
        other.family.contains(id)
    }
}

/// A property of an entity.
public enum Property: Sendable, Hashable {
    /// A value of the object itself.
    case attribute(Attribute)
    /// A reference to other objects.
    case relationship(Relationship)

    /// The property's name.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }
}

/// A rule that the values of some attributes and to-ones, taken together, are unique.
///
/// It covers the entity that declares it and all sub-entities. An object with a null value, or with
/// a to-one that is nil, never conflicts.
public struct UniquenessConstraint: Sendable {
    /// The entity that declares the constraint.
    public var entity: EntityID { facts.entity }
    /// The names of attributes and to-ones, or the paths of elements.
    public var properties: [String] { facts.properties }
    /// The properties' slots, in the order of ``properties``. The slot of a to-one is that of its
    /// key.
    public var slots: [Int] { facts.slots }

    /// One reference, because conflicts copy constraints, and a copy would otherwise retain two
    /// lists.
    private let facts: Facts

    private final class Facts: Sendable {
        let entity: EntityID
        let properties: [String]
        let slots: [Int]

        init(_ entity: EntityID, _ properties: [String], _ slots: [Int]) {
            self.entity = entity
            self.properties = properties
            self.slots = slots
        }
    }

    init(entity: EntityID, properties: [String], slots: [Int]) {
        facts = Facts(entity, properties, slots)
    }

    /// The steps of each name, in the form that predicates use.
    package var keyPaths: [[String]] {
        properties.map { $0.split(separator: ".").map(String.init) }
    }
}

extension UniquenessConstraint: Hashable {
    /// Returns whether two constraints have the same properties of one entity.
    public static func == (a: UniquenessConstraint, b: UniquenessConstraint) -> Bool {
        a.facts === b.facts
            || a.entity == b.entity && a.slots == b.slots && a.properties == b.properties
    }

    /// Hashes the entity and the properties' slots.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(slots)
    }
}

extension Entity: Hashable {
    /// Returns whether two values are one entity of one model.
    public static func == (a: Entity, b: Entity) -> Bool { a === b }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
