/// An immutable, checked description of all entities that a container works with.
///
/// A model is a value to share: make one, keep it in a `static let`, and hand it to any number of
/// containers.
public final class ManagedObjectModel: Sendable {
    /// All entities, in the bytewise order of their names.
    public let entities: [Entity]
    /// All relationships, hidden ones too, each as its declaring entity has it.
    public let relationships: [Relationship]
    /// The descriptions that the model was made from, with the inverses filled in that are named on
    /// one side only.
    public let descriptions: [EntityDescription]
    /// How all derived attributes are computed, in the order of their entities and slots.
    public let derivations: [Derivation]
    /// Names of this version, chosen by the application.
    public let versionIdentifiers: [String]
    /// Names for some of the entities, with which stores can be opened.
    public let configurations: [ConfigurationDescription]
    /// The transformers that encode and decode values, for attributes that name one.
    public let transformers: ValueTransformers
    /// Digest of all entities' version hashes (32 bytes, in Base64).
    ///
    /// Two models with equal checksums read and write the same stores.
    public let versionChecksum: String

    /// What earlier formats say of this version; nil when it is the same.
    let digestsWithoutReferences: VersionDigests?
    /// By the name of the configuration; an error for one that lacks something.
    let submodels: [StoredText: Result<ManagedObjectModel, ModelError>]
    /// Whether some entity has a composite attribute.
    public let hasComposites: Bool

    private let indexByName: [StoredText: Int]
    // Handles are small numbers, so an array is the fastest map from an ID to its entity.
    private let indexByHandle: [Int32]

    /// Checks the descriptions and resolves them.
    ///
    /// What a configuration lacks is told when it is asked for: ``submodel(forConfiguration:)``.
    ///
    /// - Parameter transformers: Who makes bytes of the values of attributes that name a
    ///   transformer: Core Data's own transformers, and those of the application.
    /// - Throws: ``ModelError`` with every mistake, each naming entity and property.
    /// - Complexity: O(*n* log *n*) to check *n* properties, however deep entities inherit; to lay
    ///   them out, in the number of properties, inherited ones counted again.
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

    /// The index of the entity that an object ID names; negative when the model has none.
    public func entityIndex(of id: ManagedObjectID) -> Int { entityIndex(for: id.entityHandle) }

    private func entityIndex(for handle: EntityHandle) -> Int {
        let handle = Int(handle.rawValue)
        return handle < indexByHandle.count ? Int(indexByHandle[handle]) : -1
    }

    /// The entity at a place that this model gave out.
    public subscript(id: EntityID) -> Entity { entities[id.index] }

    /// The relationship at a place that this model gave out, as its declaring entity sees it.
    public subscript(id: RelationshipID) -> Relationship { relationships[id.index] }

    /// The version hashes by entity name.
    ///
    /// Names that differ in their Unicode form only are one key to Swift; their hashes stand behind
    /// each other.
    public var entityVersionHashes: [String: String] {
        Dictionary(entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: +)
    }
}
