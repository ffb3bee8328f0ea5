import DuramenModel
import DuramenSQL

/// The columns that a statement selects for a set of entities of one table, and how to decode them.
final class RowPlan: Sendable {
    /// The steps for the rows of one entity.
    struct Own: Sendable {
        let entity: EntityID
        let slotCount: Int
        let steps: [SQLRowColumns.Step]
    }

    let table: Int
    /// `t0.id, t0.entity, t0.version, …`
    let columns: String
    let entities: [EntityID]
    /// By the entity's number; nil for entities that were not requested.
    private let own: [Own?]

    /// - Parameters:
    ///   - schema: The schema of the store.
    ///   - entities: The entities to read, all of one table.
    ///   - slots: The slots to read; nil for all. The others are null.
    init(schema: PostgresSchema, entities: [EntityID], slots: SlotSet? = nil) {
        self.entities = entities
        table = entities.first.map { schema.entities[$0.index].table } ?? 0
        let selected = SQLRowColumns(
            entities, in: schema, slots: slots, first: ["t0.id", "t0.entity", "t0.version"])
        columns = selected.text
        var own = [Own?](repeating: nil, count: schema.entityIndexes.count)
        for entity in selected.entities {
            own[Int(schema.number(of: entity.entity))] = Own(
                entity: entity.entity,
                slotCount: schema.model[entity.entity].layout.slotCount, steps: entity.steps)
        }
        self.own = own
    }

    /// The steps for an entity's number; nil when its rows were not requested.
    func own(_ number: Int64) -> Own? {
        guard number > 0, number < own.count else { return nil }
        return own[Int(number)]
    }
}
