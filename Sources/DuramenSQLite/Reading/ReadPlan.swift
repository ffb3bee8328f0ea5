import DuramenModel
import DuramenSQL

/// How a column is decoded into a slot.
enum ColumnAction: UInt8, Sendable {
    case integer, double, boolean, text, bytes, uuid, decimal, entity
    /// Bytes after a tag, or the name of their file.
    case external
}

/// A column of a statement and its slot.
struct ColumnStep: Sendable {
    var action: ColumnAction
    var column: Int32
    var slot: Int32
    /// The bit of the slot among the first 64.
    var bit: UInt64
}

/// The part of a plan's steps that reads the rows of one entity.
struct EntityReadPlan: Sendable {
    var entity: EntityID
    /// -1 for entities that were not requested.
    var slotCount: Int
    var firstStep: Int
    var stepCount: Int
    /// Whether rows are written word by word: at most 64 slots, no decimals and no values in files.
    var isPlain = false
    /// Whether some slots are not read, and are null.
    var hasGaps = false
}

/// The columns that a statement selects for a set of entities of one table, and how to decode them.
///
/// Created once per set; reading is then a switch over a byte per column.
// Sound: the buffers are written by the initialiser only and freed with the plan. Arrays would cost
// a retain and a release for every row.
final class ReadPlan: @unchecked Sendable {
    let table: Int
    /// `t0.Z_PK, t0.Z_ENT, t0.Z_OPT, …`, in a file with checksums with a key that checks the row.
    let columns: String
    let columnCount: Int
    /// The plan of each entity, by the entity's number.
    let plans: UnsafeMutableBufferPointer<EntityReadPlan>
    let steps: UnsafeMutableBufferPointer<ColumnStep>
    /// The index of the entity with a number; -1 for none.
    let entityIndexes: UnsafeMutableBufferPointer<Int32>
    let entities: [EntityID]
    let hasDecimals: Bool
    /// Whether values may be in files.
    let hasExternals: Bool

    /// - Parameters:
    ///   - schema: The schema of the file.
    ///   - entities: The entities to read, all of one table.
    ///   - slots: The slots to read; nil for all. The others are null.
    ///   - readsVersions: Whether versions are read; they are 0 otherwise.
    ///   - checksums: The checksums of rows, which are compared as rows are read; nil for a file
    ///     without.
    init(
        schema: AppleSchema, entities: [EntityID], slots: SlotSet? = nil,
        readsVersions: Bool = true, _ checksums: RowChecksums?
    ) {
        self.entities = entities
        let wanted = slots.map { Self.columns(of: $0, in: entities, schema) }
        let first = entities.first.map { schema.entities[$0.index].table } ?? 0
        table = first
        var used: [Int: Int32] = [:]
        var names = [
            checksums?.key(table: first) ?? "t0.Z_PK", "t0.Z_ENT", readsVersions ? "t0.Z_OPT" : "0",
        ]
        plans = .allocate(capacity: (schema.numbers.max() ?? 0) + 1)
        plans.initialize(
            repeating: EntityReadPlan(
                entity: EntityID(index: 0), slotCount: -1, firstStep: 0, stepCount: 0))
        var decimals = false
        var externals = false
        var steps: [ColumnStep] = []
        for id in entities {
            let entity = schema.model[id]
            let firstStep = steps.count
            var hasExternals = false
            var hasDecimals = false
            for (slot, column) in schema.entities[id.index].columns.enumerated() {
                if let wanted, !wanted.contains(column) { continue }
                let place: Int32
                if let known = used[column] {
                    place = known
                } else {
                    place = Int32(names.count)
                    used[column] = place
                    names.append(schema.selection(slot: slot, of: id))
                }
                let isExternal = schema.isExternal(slot: slot, of: id)
                if isExternal {
                    hasExternals = true
                    externals = true
                }
                let action: ColumnAction =
                    isExternal ? .external : Self.action(for: entity.layout.kinds[slot])
                if action == .decimal { hasDecimals = true }
                steps.append(
                    ColumnStep(
                        action: action, column: place, slot: Int32(slot),
                        bit: 1 << UInt64(slot & 63)))
            }
            if hasDecimals { decimals = true }
            plans[schema.numbers[id.index]] = EntityReadPlan(
                entity: id, slotCount: entity.layout.slotCount, firstStep: firstStep,
                stepCount: steps.count - firstStep,
                isPlain: (1...64).contains(entity.layout.slotCount) && !hasDecimals
                    && !hasExternals,
                hasGaps: wanted != nil)
        }
        entityIndexes = .allocate(capacity: schema.entityIndexes.count)
        _ = entityIndexes.initialize(from: schema.entityIndexes)
        self.steps = .allocate(capacity: steps.count)
        _ = self.steps.initialize(from: steps)
        hasDecimals = decimals
        hasExternals = externals
        columns = names.joined(separator: ", ")
        columnCount = names.count
    }

    /// The columns of slots, which may differ in sub-entities.
    private static func columns(
        of slots: SlotSet, in entities: [EntityID], _ schema: AppleSchema
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

    deinit {
        plans.deallocate()
        steps.deallocate()
        entityIndexes.deallocate()
    }

    private static func action(for kind: SlotKind) -> ColumnAction {
        switch kind {
        case .integer, .reference: .integer
        case .double, .float, .date: .double
        case .boolean: .boolean
        case .text, .uri: .text
        case .binary, .transformable: .bytes
        case .uuid: .uuid
        case .decimal: .decimal
        case .referenceEntity: .entity
        }
    }
}
