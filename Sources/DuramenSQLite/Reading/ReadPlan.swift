import DuramenModel
import DuramenSQL

/// How one column fills one slot.
enum ColumnAction: UInt8, Sendable {
    case integer, double, boolean, text, bytes, uuid, decimal, entity
}

/// One column of a statement and the slot that it fills.
struct ColumnStep: Sendable {
    var action: ColumnAction
    var column: Int32
    var slot: Int32
}

/// How the rows of one entity are read from the columns of a statement.
struct EntityPlan: Sendable {
    var entity: EntityID
    var slotCount: Int
    var steps: ContiguousArray<ColumnStep>
}

/// The columns that a statement selects for a set of entities of one table, and what to do with them.
///
/// Made once per set; reading is then a switch over a byte per column.
final class ReadPlan: Sendable {
    let table: Int
    /// `t0.Z_PK, t0.Z_ENT, t0.Z_OPT, …`
    let columns: String
    /// The plan of each entity by its number; nil for entities not asked for.
    let plans: ContiguousArray<EntityPlan?>
    let entities: [EntityID]
    /// The number that a row of the base must have when only one entity is asked for; else -1.
    let onlyNumber: Int64
    let hasDecimals: Bool

    init(schema: AppleSchema, entities: [EntityID]) {
        self.entities = entities
        let first = entities.first.map { schema.entities[$0.index].table } ?? 0
        table = first
        let map = schema.tables[first]
        var used: [Int: Int32] = [:]
        var names = ["t0.Z_PK", "t0.Z_ENT", "t0.Z_OPT"]
        var plans = ContiguousArray<EntityPlan?>(
            repeating: nil, count: (schema.numbers.max() ?? 0) + 1)
        var decimals = false
        for id in entities {
            let entity = schema.model[id]
            var steps = ContiguousArray<ColumnStep>()
            for (slot, column) in schema.entities[id.index].columns.enumerated() {
                let place: Int32
                if let known = used[column] {
                    place = known
                } else {
                    place = Int32(names.count)
                    used[column] = place
                    names.append("t0." + map.columns[column].quoted)
                }
                let action = Self.action(for: entity.layout.kinds[slot])
                if action == .decimal { decimals = true }
                steps.append(ColumnStep(action: action, column: place, slot: Int32(slot)))
            }
            plans[schema.numbers[id.index]] = EntityPlan(
                entity: id, slotCount: entity.layout.slotCount, steps: steps)
        }
        self.plans = plans
        onlyNumber = entities.count == 1 ? Int64(schema.numbers[entities[0].index]) : -1
        hasDecimals = decimals
        columns = names.joined(separator: ", ")
    }

    private static func action(for kind: SlotKind) -> ColumnAction {
        switch kind {
        case .integer, .reference: .integer
        case .double, .float, .date: .double
        case .boolean: .boolean
        case .text, .uri: .text
        case .binary: .bytes
        case .uuid: .uuid
        case .decimal: .decimal
        case .referenceEntity: .entity
        }
    }
}
