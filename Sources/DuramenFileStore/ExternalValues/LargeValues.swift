public import DuramenModel
public import DuramenStore
import Foundation

/// The values of a change set that get files of their own, found and named before any lock is
/// taken.
public struct LargeValues: Sendable {
    private struct Place: Hashable {
        var entity: EntityID
        var key: Int64
        var slot: Int
    }

    /// One value with the row that has it.
    private struct Value {
        var row: Row
        var slot: Int
        var name: UUID
    }

    private var names: [Place: UUID] = [:]
    private var values: [Value] = []

    /// Looks for values of new rows and changed slots.
    ///
    /// - Parameters:
    ///   - slots: By entity, those whose values may have files.
    ///   - limit: How many bytes a value may have without one.
    /// - Throws: `.tooLarge`
    /// - Complexity: O(*n*) for *n* bytes in such values; nothing for models without external
    ///   storage.
    public init(
        of changes: ChangeSet, slots: [[Int]], largerThan limit: Int, in model: ManagedObjectModel
    ) throws(StoreError) {
        if !slots.contains(where: { !$0.isEmpty }) { return }
        for row in changes.inserts {
            for slot in slots[row.entityID.index] { try add(row, slot, limit, model) }
        }
        for change in changes.updates {
            for slot in slots[change.row.entityID.index] where change.changedSlots.contains(slot) {
                try add(change.row, slot, limit, model)
            }
        }
    }

    private mutating func add(
        _ row: Row, _ slot: Int, _ limit: Int, _ model: ManagedObjectModel
    ) throws(StoreError) {
        let count = row.unsafeBytes(slot).count
        if row.isNull(slot) || count <= limit { return }
        if count > ExternalValueFolder.mostBytes {
            let entity = model[row.entityID]
            let name = entity.attributes.first { $0.slot == slot }?.name ?? ""
            throw StoreError(
                .tooLarge,
                "A value of '\(entity.name).\(name)' has more than 1 GiB; save it in parts.")
        }
        let name = row.withBytes(slot) { ExternalValue.name(of: $0) }
        names[Place(entity: row.entityID, key: row.key, slot: slot)] = name
        values.append(Value(row: row, slot: slot, name: name))
    }

    /// Whether a value of a row gets a file.
    public func hasFile(_ row: Row, _ slot: Int) -> Bool {
        names[Place(entity: row.entityID, key: row.key, slot: slot)] != nil
    }

    /// The bytes that a row stores for a value other than null: the value, or the name of its file.
    public func encoded(_ row: borrowing Row, _ slot: Int) -> [UInt8] {
        if !names.isEmpty,
            let name = names[Place(entity: row.entityID, key: row.key, slot: slot)]
        {
            return ExternalValue.reference(to: name)
        }
        return ExternalValue.inline(copying: row.unsafeBytes(slot))
    }

    /// Writes the files, and waits for the disk unless nothing waits for it. The caller holds the
    /// lock of all writers from here until the rows are committed.
    ///
    /// - Throws: `.diskFull`, `.permissionDenied` or `.io`; nothing refers to files that were
    ///   written.
    public func write(to folder: ExternalValueFolder, synchronizes: Bool) throws(StoreError) {
        if values.isEmpty { return }
        try folder.make(synchronizes: synchronizes)
        var written: Set<UUID> = []
        for value in values where written.insert(value.name).inserted {
            try value.row.withBytes(value.slot) { (bytes) throws(StoreError) in
                try folder.write(bytes, as: value.name, synchronizes: synchronizes)
            }
        }
        if synchronizes { try folder.synchronize() }
    }
}
