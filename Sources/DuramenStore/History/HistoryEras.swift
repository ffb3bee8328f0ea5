public import DuramenModel

/// The versions of the model that a store's history was written with, one after the other.
///
/// Transactions before a change of the model speak of entities and properties as they were then.
/// They are read in those words and given in the present ones; what is gone keeps its old name.
public struct HistoryEras: Sendable {
    /// The time of one version.
    public struct Era: Sendable {
        /// The number of the change that ended it.
        public let end: Int64
        /// The version.
        public let model: ManagedObjectModel
        /// By entity of the version: what it is called now.
        fileprivate var entities: [String]
        /// By entity of the version: what its properties are called now, where that is something
        /// else.
        fileprivate var properties: [[String: String]]

        /// The handle that the entity has now.
        public func handle(of entity: EntityID) -> EntityHandle {
            EntityHandle(name: entities[entity.index])
        }

        /// Returns the current names of properties of an entity.
        public func names(_ names: Set<String>, of entity: EntityID) -> Set<String> {
            let renamed = properties[entity.index]
            return renamed.isEmpty ? names : Set(names.map { renamed[$0] ?? $0 })
        }

        /// Values by what their properties are called now.
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

    /// The eras that are over, the first one first.
    private var eras: [Era] = []

    /// Reads the eras of a store.
    ///
    /// - Parameters:
    ///   - migrations: The changes of the model.
    ///   - present: The version that the store has now.
    ///   - model: Finds a version by its checksum.
    public init(
        _ migrations: [StoreMigrationRecord], present: ManagedObjectModel,
        model: (String) throws(StoreError) -> ManagedObjectModel
    ) throws(StoreError) {
        var next = present
        for migration in migrations.reversed() {
            let source = try model(migration.source)
            let change = SchemaChange(from: source, to: next)
            var era = Era(
                end: migration.save, model: source,
                entities: source.entities.map { entity in
                    change.targetEntity(entity.id).map { next[$0].name } ?? entity.name
                }, properties: source.entities.map { change.renamedProperties(of: $0) })
            if let later = eras.first { era.continue(in: later, change) }
            eras.insert(era, at: 0)
            next = source
        }
    }

    /// The era of a transaction; nil for the present one.
    public func era(of transaction: Int64) -> Era? { eras.first { transaction < $0.end } }
}

extension HistoryEras.Era {
    /// Goes on to what the next era's names have become.
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
    /// The properties of an old entity that have other names in the new version.
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
