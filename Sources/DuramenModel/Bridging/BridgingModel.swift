/// The model of a store while a program migrates it from one version to the next.
///
/// The bridging model is the current version with the additions of the next version. Additions are
/// optional and have no rules, so that a program can read and write both versions at once. All
/// objects are plain, since no class describes the model. A name that both versions use for
/// different kinds of property has the current kind. A converted attribute exists twice: with its
/// old type under its old name, and with its new type under a temporary name.
///
/// The change to the bridging model only adds. The change to the next version only removes,
/// renames, and makes optional attributes mandatory.
package struct BridgingModel: Sendable {
    /// The version that the store has.
    package let current: ManagedObjectModel
    /// The version that it gets.
    package let next: ManagedObjectModel
    /// Both at once.
    package let model: ManagedObjectModel
    /// The next version with temporary names of converted attributes, and with their final names;
    /// nil if no attribute is converted.
    package let renamed: (first: ManagedObjectModel, last: ManagedObjectModel)?

    /// By entity of the next version: what it is called in between.
    let entityNames: [String]
    /// By entity of the next version: the paths of its stored attributes in between, by their own.
    let paths: [[StoredText: String]]
    /// By entity of the next version: what its converted attributes were called, by their names.
    private let conversions: [[StoredText: String]]

    /// Makes a bridge.
    ///
    /// - Parameter converted: The converted attributes, as `Entity.attribute`. The attribute has
    ///   its name in the next version; the entity may have its name in either version.
    /// - Throws: ``ModelError`` when no model can have both versions.
    package init(
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
        // A later version may look like this one, and no store may have had that version before.
        var descriptions = builder.descriptions
        if !descriptions.isEmpty {
            descriptions[0].versionHashModifier =
                "from \(current.versionChecksum) to \(next.versionChecksum)"
        }
        model = try ManagedObjectModel(
            descriptions, versionIdentifiers: current.versionIdentifiers,
            transformers: next.transformers)
        renamed = try builder.renamed()
    }

    /// The entity between the two that one of the next version is.
    package func entity(ofNext entity: Entity) -> Entity? {
        model.entity(named: entityNames[entity.id.index])
    }

    /// The entity of the next version that one of the current is.
    package func nextEntity(ofCurrent name: String) -> Entity? {
        let name = StoredText(name)
        return entityNames.firstIndex { StoredText($0) == name }.map { next.entities[$0] }
    }

    /// The attribute in between that one of the next version is, by its path.
    package func attribute(ofNext path: String, in entity: Entity) -> Attribute? {
        guard let path = paths[entity.id.index][StoredText(path)],
            case .attribute(let attribute)? = self.entity(ofNext: entity)?.property(named: path)
        else { return nil }
        return attribute
    }

    /// What a converted attribute of the next version was; nil for others.
    package func attribute(convertedTo name: String, in entity: Entity) -> Attribute? {
        guard let old = conversions[entity.id.index][StoredText(name)],
            case .attribute(let attribute)? = self.entity(ofNext: entity)?.property(named: old)
        else { return nil }
        return attribute
    }

    /// The same model without validation rules. Deleting an object only clears references to it.
    package func withoutRules() throws(ModelError) -> ManagedObjectModel {
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
