public import DuramenModel

/// The versions of the model that a store's history was written with, in order.
///
/// Transactions before a migration contain the entities and properties of the old model. They are
/// decoded with the old model, and then renamed to the current one; a removed entity or property
/// keeps its old name.
public struct HistoryEras: Sendable {
    /// The period of one version.
    public struct Era: Sendable {
        /// The number of the migration that ended the era.
        public let end: Int64
        /// The version of the model.
        public let model: ManagedObjectModel
        /// The numbers of the version's properties.
        public let numbering: HistoryProperties
        /// The current names of the version's entities.
        fileprivate var entities: [String]
        /// By entity of the version: the current names of its renamed properties.
        fileprivate var properties: [[String: String]]

        /// Returns the current handle of an entity.
        public func handle(of entity: EntityID) -> EntityHandle {
            EntityHandle(name: entities[entity.index])
        }

        /// Returns the current names of an entity's properties.
        public func names(_ names: Set<String>, of entity: EntityID) -> Set<String> {
            let renamed = properties[entity.index]
            return renamed.isEmpty ? names : Set(names.map { renamed[$0] ?? $0 })
        }

        /// Returns values by the current names of their properties.
        public func values(
            _ values: [String: StoredValue], of entity: EntityID
        ) -> [String: StoredValue] {
            let renamed = properties[entity.index]
            return renamed.isEmpty
                ? values
                : Dictionary(
                    values.map { (renamed[$0.key] ?? $0.key, $0.value) },
                    uniquingKeysWith: { first, _ in first })
        }
    }

    /// The past eras, the oldest first.
    private var eras: [Era] = []

    /// Creates the eras of a store.
    ///
    /// - Parameters:
    ///   - migrations: The migrations of the store.
    ///   - present: The current model of the store.
    ///   - model: Returns a version of the model by its checksum.
    public init(
        _ migrations: [StoreMigrationRecord], present: ManagedObjectModel,
        model: (String) throws(StoreError) -> ManagedObjectModel
    ) throws(StoreError) {
        var next = present
        for migration in migrations.reversed() {
            let source = try model(migration.source)
            let change = SchemaChange(from: source, to: next)
            var era = Era(
                end: migration.save, model: source, numbering: HistoryProperties(source),
                entities: source.entities.map { entity in
                    change.targetEntity(entity.id).map { next[$0].name } ?? entity.name
                }, properties: source.entities.map { change.renamedProperties(of: $0) })
            if let later = eras.first { era.continue(in: later, change) }
            eras.insert(era, at: 0)
            next = source
        }
    }

    /// Returns the era of a transaction; nil for the current one.
    public func era(of transaction: Int64) -> Era? { eras.first { transaction < $0.end } }
}

extension HistoryEras.Era {
    /// Renames entities and properties to those of the next era.
    fileprivate mutating func `continue`(in next: HistoryEras.Era, _ change: SchemaChange) {
        for entity in model.entities {
            guard let target = change.targetEntity(entity.id) else { continue }
            entities[entity.id.index] = next.entities[target.index]
            let later = next.properties[target.index]
            var names = properties[entity.id.index]
            let all = entity.attributes.map(\.name) + entity.relationships.map(\.name)
            for name in all {
                guard let present = later[names[name] ?? name] else { continue }
                names[name] = present
            }
            properties[entity.id.index] = names
        }
    }
}

extension SchemaChange {
    /// The properties of an old entity that were renamed in the new version.
    fileprivate func renamedProperties(of entity: Entity) -> [String: String] {
        guard let rows = rows[entity.id.index] else { return [:] }
        let new = target[rows.entity]
        var names: [String: String] = [:]
        for attribute in new.attributes {
            let slot: Int? =
                switch rows.sources[attribute.slot] {
                case .slot(let slot, _, _), .derived(.slot(let slot)): slot
                default: nil
                }
            guard let old = entity.attributes.first(where: { $0.slot == slot }) else { continue }
            if StoredText(old.name) != StoredText(attribute.name) {
                names[old.name] = attribute.name
            }
        }
        for relationship in new.relationships where !relationship.isHidden {
            for id in sourceRelationships[relationship.id.index] {
                guard let old = entity.relationship(id),
                    StoredText(old.name) != StoredText(relationship.name)
                else { continue }
                names[old.name] = relationship.name
            }
        }
        return names
    }
}
