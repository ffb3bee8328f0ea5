/// An immutable, checked description of all entities that a container works with.
///
/// A model is a value to share. Make one, keep it in a `static let`, and pass it to any number of
/// containers.
public final class ManagedObjectModel: Sendable {
    /// All entities, in the bytewise order of their names.
    public let entities: [Entity]
    /// All relationships, hidden ones too, each in the form that its declaring entity has it.
    public let relationships: [Relationship]
    /// The descriptions that the model was made from. Inverses that are named on one side only are
    /// completed.
    public let descriptions: [EntityDescription]
    /// The derivations of all derived attributes, in the order of their entities and slots.
    public let derivations: [Derivation]
    /// Names of this version, chosen by the application.
    public let versionIdentifiers: [String]
    /// Named groups of entities, with which you can open stores.
    public let configurations: [ConfigurationDescription]
    /// The transformers that encode and decode values, for attributes that name one.
    public let transformers: ValueTransformers
    /// The digest of all entities' version hashes (32 bytes, in Base64).
    ///
    /// Two models with equal checksums can read and write the same stores.
    public let versionChecksum: String

    /// The digests of this version in earlier formats; nil if they are equal.
    let digestsWithoutReferences: VersionDigests?
    /// The model of each configuration by its name; an error for a configuration that lacks an
    /// entity.
    let submodels: [StoredText: Result<ManagedObjectModel, ModelError>]
    /// Whether some entity has a composite attribute.
    public let hasComposites: Bool

    private let indexByName: [StoredText: Int]
    // Handles are small numbers, so an array is the fastest map from an ID to its entity.
    private let indexByHandle: [Int32]

    /// Checks the descriptions and resolves them.
    ///
    /// Entities that a configuration lacks are not reported here, but by
    /// ``submodel(forConfiguration:)``.
    ///
    /// - Parameters:
    ///   - descriptions: The entities of the model.
    ///   - configurations: Named groups of entities.
    ///   - versionIdentifiers: Names of this version, chosen by the application.
    ///   - transformers: The transformers that encode the values of attributes that name one: Core
    ///     Data's own transformers, and those of the application.
    /// - Throws: ``ModelError`` with every mistake, each with its entity and property.
    /// - Complexity: O(*n* log *n*) to check *n* properties, for any depth of inheritance.
    ///   Resolving is linear in the number of properties, with inherited ones counted in each
    ///   entity.
    public init(
        _ descriptions: [EntityDescription], configurations: [ConfigurationDescription] = [],
        versionIdentifiers: [String] = [], transformers: ValueTransformers = ValueTransformers()
    ) throws(ModelError) {
        var resolver = ModelResolver(descriptions, transformers)
        self.transformers = transformers
        let drafts = try resolver.resolve(configurations)
        self.descriptions = resolver.descriptions.map { description in
            var description = description
            description.relationships.removeAll(where: \.isHidden)
            return description
        }
        self.versionIdentifiers = versionIdentifiers
        self.configurations = configurations
        entities = drafts.map(Entity.init)
        derivations = DerivationResolver(entities).derivations
        submodels = Self.submodels(
            configurations, of: self.descriptions, versionIdentifiers: versionIdentifiers,
            transformers: transformers)
        hasComposites = drafts.contains { !$0.composites.isEmpty }
        relationships = resolver.relationships
        versionChecksum = VersionHash.checksum(of: drafts)
        digestsWithoutReferences = resolver.digestsWithoutReferences
        var names: [StoredText: Int] = [:]
        var handles: [Int32] = []
        for entity in entities {
            names[StoredText(entity.name)] = entity.id.index
            let handle = Int(entity.handle.rawValue)
            while handles.count <= handle { handles.append(-1) }
            handles[handle] = Int32(entity.id.index)
        }
        indexByName = names
        indexByHandle = handles
    }

    /// Returns the entity with a name, or nil if the model has none.
    public func entity(named name: String) -> Entity? {
        indexByName[StoredText(name)].map { entities[$0] }
    }

    /// Returns the entity of an object ID, or nil if the model has none.
    public func entity(of id: ManagedObjectID) -> Entity? { entity(for: id.entityHandle) }

    /// Returns the entity with a process-wide handle, or nil if the model has none.
    public func entity(for handle: EntityHandle) -> Entity? {
        let index = entityIndex(for: handle)
        return index < 0 ? nil : entities[index]
    }

    /// Returns the index of the entity of an object ID; negative if the model does not have it.
    public func entityIndex(of id: ManagedObjectID) -> Int { entityIndex(for: id.entityHandle) }

    private func entityIndex(for handle: EntityHandle) -> Int {
        let handle = Int(handle.rawValue)
        return handle < indexByHandle.count ? Int(indexByHandle[handle]) : -1
    }

    /// Returns the entity with an ID of this model.
    public subscript(id: EntityID) -> Entity { entities[id.index] }

    /// Returns the relationship with an ID of this model, in the form that its declaring entity has
    /// it.
    public subscript(id: RelationshipID) -> Relationship { relationships[id.index] }

    /// The version hashes by entity name.
    ///
    /// Swift treats names that differ only in their Unicode form as one key; their hashes are
    /// concatenated.
    public var entityVersionHashes: [String: String] {
        Dictionary(entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: +)
    }
}
