import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let slotSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.pushdown, LeavesOutAnAskedSlot.self),
        SaboteurEntry(.pushdown, RemembersTheSlotsAskedBefore.self),
        SaboteurEntry(.pushdown, GivesPartsNoVersion.self),
    ]
}

/// Gives a query for some slots all of them but the last.
final class LeavesOutAnAskedSlot: PushdownSaboteur, @unchecked Sendable {
    override func rows(
        _ query: StoreQuery, _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> [Row] {
        let rows = try super.rows(query, snapshot)
        guard var slots = query.slots, let last = slots.slots.last else { return rows }
        slots.remove(last)
        return rows.parts(slots, model)
    }
}

/// Answers every query with the slots that one before it asked for.
// Sound: what is remembered is guarded.
final class RemembersTheSlotsAskedBefore: PushdownSaboteur, @unchecked Sendable {
    private let slots = Guarded<SlotSet?>(nil)

    override func rows(
        _ query: StoreQuery, _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> [Row] {
        let rows = try super.rows(query, snapshot)
        if let asked = query.slots { slots.change { $0 = asked } }
        return slots.value.map { rows.parts($0, model) } ?? rows
    }
}

/// Makes new rows of parts, which have no version.
final class GivesPartsNoVersion: PushdownSaboteur, @unchecked Sendable {
    override func rows(
        _ query: StoreQuery, _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> [Row] {
        let rows = try super.rows(query, snapshot)
        if query.slots == nil { return rows }
        var builder = RowBatchBuilder(capacity: 256)
        for row in rows {
            builder.append(row, layout: model[row.entityID].layout, version: .unsaved)
        }
        return Array(builder.finish())
    }
}

extension [Row] {
    /// The same with some slots only.
    fileprivate func parts(_ slots: SlotSet, _ model: ManagedObjectModel) -> [Row] {
        var builder = RowBatchBuilder(capacity: 256)
        for row in self {
            builder.append(row, slots: slots, layout: model[row.entityID].layout)
        }
        return Array(builder.finish())
    }
}
