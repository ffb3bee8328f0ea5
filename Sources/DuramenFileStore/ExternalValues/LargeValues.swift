public import DuramenModel
public import DuramenStore
import Foundation

/// The values of a change set that get their own files, found and named before any lock is
/// acquired.
public struct LargeValues: Sendable {
    private struct Place: Hashable {
        var entity: EntityID
        var key: Int64
        var slot: Int
    }

    /// A value with its row.
    private struct Value {
        var row: Row
        var slot: Int
        var name: UUID
    }

    private var names: [Place: UUID] = [:]
    private var values: [Value] = []

    /// Finds the values of new rows and changed slots.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - slots: By entity, the slots whose values may have files.
    ///   - limit: The largest number of bytes of a value without a file.
    ///   - model: The store's model.
    /// - Throws: `.tooLarge`
    /// - Complexity: O(*n*) for *n* bytes of such values; no cost for models without external
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

    /// Returns whether a value of a row gets a file.
    public func hasFile(_ row: Row, _ slot: Int) -> Bool {
        names[Place(entity: row.entityID, key: row.key, slot: slot)] != nil
    }

    /// Returns the bytes that a row stores for a value other than null: the value, or its file's
    /// name.
    public func encoded(_ row: borrowing Row, _ slot: Int) -> [UInt8] {
        if !names.isEmpty,
            let name = names[Place(entity: row.entityID, key: row.key, slot: slot)]
        {
            return ExternalValue.reference(to: name)
        }
        return ExternalValue.inline(copying: row.unsafeBytes(slot))
    }

    /// Writes the files, and synchronises them with the disk if requested. The caller holds the
    /// lock of all writers until the rows are committed.
    ///
    /// - Parameters:
    ///   - folder: The folder of the store.
    ///   - synchronizes: Whether the files must be on the disk.
    /// - Throws: `.diskFull`, `.permissionDenied` or `.io`; no row refers to files that were
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
