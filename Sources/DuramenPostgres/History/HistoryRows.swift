import DuramenModel
import DuramenStore

/// The changes of a save or batch, as rows of the history.
struct HistoryRows {
    private let core: StoreCore
    private let stamp: Int64
    /// The number of changes so far, including those written.
    private(set) var count = 0
    private var firstPosition = 0
    private var entities = ArrayBuilder(.integer)
    private var keys: [Int64] = []
    private var kinds = ArrayBuilder(.smallint)
    private var properties = ArrayBuilder(.bytea)
    private var values = ArrayBuilder(.bytea)
    private var tombstones = HistoryTombstones()

    init(_ core: StoreCore, stamp: Int64) {
        self.core = core
        self.stamp = stamp
    }

    /// Reads the last values of deleted objects, before they are deleted.
    mutating func readTombstones(
        _ changes: ChangeSet, _ reading: RowReading
    ) throws(StoreError) {
        if changes.deletes.isEmpty { return }
        let ids = HistoryEdits(changes, core.properties, in: core.model).leavingValues
        if ids.isEmpty { return }
        tombstones = HistoryTombstones(
            try reading.rows(for: ids), core.properties, in: core.model, store: core.schema.store)
    }

    /// Adds the changes of a change set.
    mutating func add(_ changes: ChangeSet) throws(StoreError) {
        let edits = HistoryEdits(changes, core.properties, in: core.model)
        for place in changes.inserts.indices {
            let entity = EntityID(index: changes.inserts.entityIndex(at: place))
            add(changes.inserts.key(at: place), entity, .insert)
        }
        for update in edits.updates {
            add(update.key, update.entity, .update, properties: Self.bits(update.properties))
        }
        for deletion in changes.deletes {
            guard let entity = core.model.entity(of: deletion.id)?.id else { continue }
            let values = try tombstones[deletion.id].map { (values) throws(StoreError) in
                try StoredJSON.bytes(of: core.properties.tombstone(values, of: entity))
            }
            add(deletion.id.key, entity, .delete, values: values)
        }
        tombstones = HistoryTombstones()
    }

    /// Adds a change of one object.
    mutating func add(
        _ id: ManagedObjectID, _ kind: PersistentHistoryChange.ChangeType, changed slots: SlotSet?
    ) {
        guard let entity = core.model.entity(of: id)?.id else { return }
        add(
            id.key, entity, kind,
            properties: slots.map { Self.bits(core.properties.places(of: $0, in: entity)) })
    }

    private mutating func add(
        _ key: Int64, _ entity: EntityID, _ kind: PersistentHistoryChange.ChangeType,
        properties: [UInt8]? = nil, values: [UInt8]? = nil
    ) {
        count += 1
        entities.append(integer: core.schema.entities[entity.index].number)
        keys.append(key)
        kinds.append(smallint: Int16(kind.rawValue))
        if let properties {
            self.properties.append(bytes: properties)
        } else {
            self.properties.appendNull()
        }
        if let values { self.values.append(bytes: values) } else { self.values.appendNull() }
    }

    /// A set of properties as bits, by their numbers in ``HistoryProperties``.
    private static func bits(_ places: SlotSet) -> [UInt8] {
        var bits = [UInt8](
            repeating: 0, count: (places.slots.last ?? -1) / 8 + (places.isEmpty ? 0 : 1))
        for place in places.slots { bits[place / 8] |= 1 << UInt8(place % 8) }
        return bits
    }

    /// Whether there are so many rows that they should be written now.
    var isLarge: Bool { keys.count >= 5_000 || values.bytes.count > 4 << 20 }

    /// Adds a statement with the rows, and starts again without any.
    mutating func write(to pipeline: inout ChangePipeline) {
        if keys.isEmpty { return }
        var positions = ArrayBuilder(.integer)
        for position in firstPosition..<count {
            positions.append(integer: Int32(clamping: position))
        }
        pipeline.add(
            core.statements.history.insertChanges,
            [
                .bigint(stamp), positions.finish(), entities.finish(), .bigints(keys),
                kinds.finish(), properties.finish(), values.finish(),
            ], as: .other)
        firstPosition = count
        entities = ArrayBuilder(.integer)
        keys = []
        kinds = ArrayBuilder(.smallint)
        properties = ArrayBuilder(.bytea)
        values = ArrayBuilder(.bytea)
    }
}
