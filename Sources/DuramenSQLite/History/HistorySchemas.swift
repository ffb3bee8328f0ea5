import DuramenModel
import DuramenStore
import Foundation

/// The schemas for transactions of all versions of the model.
struct HistorySchemas {
    /// The numbers and names of one version.
    struct Schema {
        /// Nil for the current version.
        fileprivate let era: HistoryEras.Era?
        let properties: HistoryProperties
        private let model: ManagedObjectModel
        private let entities: [Int64: EntityID]

        fileprivate init(
            _ era: HistoryEras.Era?, _ model: ManagedObjectModel, _ properties: HistoryProperties,
            numbers: [Int64: EntityID]
        ) {
            self.era = era
            self.model = model
            self.properties = properties
            entities = numbers
        }

        func entity(number: Int64) -> EntityID? { entities[number] }

        /// The current handle of an entity.
        func handle(of entity: EntityID) -> EntityHandle {
            era?.handle(of: entity) ?? model[entity].handle
        }

        /// The current names of properties.
        func names(_ places: SlotSet, of entity: EntityID) -> Set<String> {
            let names = properties.names(at: places, in: entity)
            return era?.names(names, of: entity) ?? names
        }

        func tombstone(_ values: [StoredValue], of entity: EntityID) -> [String: StoredValue] {
            let tombstone = properties.tombstone(values, of: entity)
            return era?.values(tombstone, of: entity) ?? tombstone
        }
    }

    private var schemas: [Schema] = []
    private var ends: [Int64] = []

    init(_ connection: Connection, _ core: StoreCore) throws(StoreError) {
        let entries = try MigrationTable(connection: connection).entries()
        let models = ModelTable(connection: connection)
        let eras = try HistoryEras(entries.map(\.record), present: core.schema.model) {
            (checksum) throws(StoreError) in
            try StoredModel(
                archive: models.archive(of: checksum), codableTypes: [],
                transformers: core.schema.model.transformers, path: core.path
            ).model
        }
        for entry in entries {
            guard let era = eras.era(of: entry.record.save - 1) else { continue }
            var numbers: [Int64: EntityID] = [:]
            for entity in era.model.entities {
                if let number = entry.numbers[entity.name] { numbers[Int64(number)] = entity.id }
            }
            schemas.append(
                Schema(era, era.model, era.numbering, numbers: numbers))
            ends.append(entry.record.save)
        }
        var numbers: [Int64: EntityID] = [:]
        for entity in core.schema.model.entities {
            numbers[core.schema.number(of: entity.id)] = entity.id
        }
        schemas.append(
            Schema(nil, core.schema.model, core.historyProperties, numbers: numbers))
    }

    /// The version that a transaction was written with, and its index.
    func era(of transaction: Int64) -> (place: Int, schema: Schema) {
        let place = ends.firstIndex { transaction < $0 } ?? ends.count
        return (place, schemas[place])
    }
}
