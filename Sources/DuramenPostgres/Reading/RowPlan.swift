import DuramenModel

/// How a column is decoded into a slot.
enum ColumnAction: UInt8, Sendable {
    case integer, entity, boolean, double, real, text, bytes, uuid, decimal
}

/// A column of a result and its slot.
struct ColumnStep: Sendable {
    let action: ColumnAction
    let column: Int32
    let slot: Int32
}

/// The columns that a statement selects for a set of entities of one table, and how to decode them.
final class RowPlan: Sendable {
    /// The steps for the rows of one entity.
    struct Own: Sendable {
        let entity: EntityID
        let slotCount: Int
        let steps: [ColumnStep]
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
        let wanted = slots.map { Self.columns(of: $0, in: entities, schema) }
        var used: [Int: Int32] = [:]
        var names = ["t0.id", "t0.entity", "t0.version"]
        var own = [Own?](repeating: nil, count: schema.entityIndexes.count)
        for id in entities {
            let map = schema.entities[id.index]
            var steps: [ColumnStep] = []
            for (slot, column) in map.columns.enumerated() {
                if let wanted, !wanted.contains(column) { continue }
                let place = used[column] ?? Int32(names.count)
                if used.updateValue(place, forKey: column) == nil {
                    names.append("t0." + schema.tables[map.table].columns[column].quoted)
                }
                steps.append(
                    ColumnStep(
                        action: Self.action(for: schema.model[id].layout.kinds[slot]),
                        column: place, slot: Int32(slot)))
            }
            own[Int(map.number)] = Own(
                entity: id, slotCount: schema.model[id].layout.slotCount, steps: steps)
        }
        self.own = own
        columns = names.joined(separator: ", ")
    }

    /// The steps for an entity's number; nil when its rows were not requested.
    func own(_ number: Int64) -> Own? {
        guard number > 0, number < own.count else { return nil }
        return own[Int(number)]
    }

    /// The columns of slots, which may differ in sub-entities.
    private static func columns(
        of slots: SlotSet, in entities: [EntityID], _ schema: PostgresSchema
    ) -> Set<Int> {
        var columns: Set<Int> = []
        for id in entities {
            for (slot, column) in schema.entities[id.index].columns.enumerated()
            where slots.contains(slot) {
                columns.insert(column)
            }
        }
        return columns
    }

    private static func action(for kind: SlotKind) -> ColumnAction {
        switch kind {
        case .integer, .reference: .integer
        case .referenceEntity: .entity
        case .boolean: .boolean
        case .double, .date: .double
        case .float: .real
        case .text, .uri: .text
        case .binary, .transformable: .bytes
        case .uuid: .uuid
        case .decimal: .decimal
        }
    }
}
