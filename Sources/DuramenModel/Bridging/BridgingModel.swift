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
    /// The current version, which the store has before the migration.
    package let current: ManagedObjectModel
    /// The next version, which the store has after the migration.
    package let next: ManagedObjectModel
    /// The bridging model, with the properties of both versions.
    package let model: ManagedObjectModel
    /// The next version with temporary names of converted attributes, and with their final names;
    /// nil if no attribute is converted.
    package let renamed: (first: ManagedObjectModel, last: ManagedObjectModel)?

    /// The name of each entity in the bridging model, by entity of the next version.
    let entityNames: [String]
    /// The paths of stored attributes in the bridging model by their paths in the next version, by
    /// entity of the next version.
    let paths: [[StoredText: String]]
    /// The old names of converted attributes by their names, by entity of the next version.
    private let conversions: [[StoredText: String]]

    /// Builds the bridging model of two versions.
    ///
    /// - Parameters:
    ///   - current: The version that the store has.
    ///   - next: The version to which the store is migrated.
    ///   - converted: The converted attributes, as `Entity.attribute`. The attribute has its name
    ///     in the next version; the entity may have its name in either version.
    /// - Throws: ``ModelError`` if no model can have both versions.
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
        // Without a modifier, the hash could equal the hash of a later version that no store has
        // yet.
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

    /// Returns the bridging entity of an entity of the next version.
    package func entity(ofNext entity: Entity) -> Entity? {
        model.entity(named: entityNames[entity.id.index])
    }

    /// Returns the entity of the next version for an entity of the current version.
    package func nextEntity(ofCurrent name: String) -> Entity? {
        let name = StoredText(name)
        return entityNames.firstIndex { StoredText($0) == name }.map { next.entities[$0] }
    }

    /// Returns the bridging attribute of an attribute of the next version, by its path.
    package func attribute(ofNext path: String, in entity: Entity) -> Attribute? {
        guard let path = paths[entity.id.index][StoredText(path)],
            case .attribute(let attribute)? = self.entity(ofNext: entity)?.property(named: path)
        else { return nil }
        return attribute
    }

    /// Returns the old attribute from which an attribute was converted; nil for other attributes.
    package func attribute(convertedTo name: String, in entity: Entity) -> Attribute? {
        guard let old = conversions[entity.id.index][StoredText(name)],
            case .attribute(let attribute)? = self.entity(ofNext: entity)?.property(named: old)
        else { return nil }
        return attribute
    }

    /// Returns the bridging model without validation rules. Deleting an object only clears
    /// references to it.
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
