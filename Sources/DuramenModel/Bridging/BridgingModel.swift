/// The model that a store has while objects of one version become objects of the next one.
///
/// It is the current version with what the next one adds, optional and without rules, so that both
/// can be read and written at once. All objects are plain, since no class describes it. Where both
/// versions have something of one name that is of two kinds, it has the current one. An attribute
/// whose values are converted stands beside the one it was, under a name of its own.
///
/// Going to the bridging model only adds, and going on from it only takes away, renames and makes
/// mandatory what was optional.
public struct BridgingModel: Sendable {
    /// The version that the store has.
    public let current: ManagedObjectModel
    /// The version that it gets.
    public let next: ManagedObjectModel
    /// Both at once.
    public let model: ManagedObjectModel
    /// The next version with the names of converted attributes, which get their own last; nil where
    /// none are converted.
    public let renamed: (first: ManagedObjectModel, last: ManagedObjectModel)?

    /// By entity of the next version: what it is called in between.
    let entityNames: [String]
    /// By entity of the next version: the paths of its stored attributes in between, by their own.
    let paths: [[StoredText: String]]
    /// By entity of the next version: what its converted attributes were called, by their names.
    private let conversions: [[StoredText: String]]

    /// Makes a bridge.
    ///
    /// - Parameter converted: The attributes of the next version, as `Entity.attribute`, that are
    ///   written beside the ones that they were. The entity may have its name of before.
    /// - Throws: ``ModelError`` when the two cannot stand beside each other.
    public init(
        from current: ManagedObjectModel, to next: ManagedObjectModel,
        converting converted: Set<String> = []
    ) throws(ModelError) {
        var builder = BridgeBuilder(current, next, Set(converted.map { StoredText($0) }))
        builder.build()
        self.current = current
        self.next = next
        entityNames = builder.names
        paths = builder.paths
        conversions = builder.conversions
        model = try ManagedObjectModel(
            builder.descriptions, versionIdentifiers: current.versionIdentifiers,
            transformers: next.transformers)
        renamed = try builder.renamed()
    }

    /// The entity between the two that one of the next version is.
    public func entity(ofNext entity: Entity) -> Entity? {
        model.entity(named: entityNames[entity.id.index])
    }

    /// The entity of the next version that one of the current is.
    public func nextEntity(ofCurrent name: String) -> Entity? {
        let name = StoredText(name)
        return entityNames.firstIndex { StoredText($0) == name }.map { next.entities[$0] }
    }

    /// The attribute in between that one of the next version is, by its path.
    public func attribute(ofNext path: String, in entity: Entity) -> Attribute? {
        guard let path = paths[entity.id.index][StoredText(path)],
            case .attribute(let attribute)? = self.entity(ofNext: entity)?.property(named: path)
        else { return nil }
        return attribute
    }

    /// What a converted attribute of the next version was; nil for others.
    public func attribute(convertedTo name: String, in entity: Entity) -> Attribute? {
        guard let old = conversions[entity.id.index][StoredText(name)],
            case .attribute(let attribute)? = self.entity(ofNext: entity)?.property(named: old)
        else { return nil }
        return attribute
    }

    /// The same model for whoever sets values without being held to rules: deleting an object only
    /// clears what leads to it.
    public func withoutRules() throws(ModelError) -> ManagedObjectModel {
        let descriptions = model.descriptions.map { description in
            var description = description
            for place in description.attributes.indices {
                description.attributes[place].rules = AttributeRules()
            }
            for place in description.relationships.indices {
                description.relationships[place].deleteRule = .nullify
            }
            return description
        }
        return try ManagedObjectModel(
            descriptions, versionIdentifiers: model.versionIdentifiers,
            transformers: model.transformers)
    }
}
