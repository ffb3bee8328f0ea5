import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Gives new objects their permanent IDs without saving them. They stay new.
    ///
    /// Objects that have permanent IDs already are left alone. Keys that are never saved are lost.
    public func obtainPermanentIDs(for objects: some Sequence<ManagedObject>) throws {
        for object in objects { requireOwn(object, for: "give a permanent ID to") }
        try assignKeys(to: ContiguousArray(objects))
    }

    func assignKeys(to objects: ContiguousArray<ManagedObject>) throws {
        var counts = [Int](repeating: 0, count: model.entities.count)
        var total = 0
        for object in objects where object.key < 0 && object.flags.contains(.inserted) {
            counts[object.entity.root.index] += 1
            total += 1
        }
        if total == 0 { return }
        var next = [Int64](repeating: 0, count: counts.count)
        for (root, count) in counts.enumerated() where count > 0 {
            next[root] = try store.allocateKeys(count, for: EntityID(index: root)).lowerBound
        }
        for object in objects where object.key < 0 && object.flags.contains(.inserted) {
            let root = object.entity.root.index
            let key = next[root]
            next[root] = key + 1
            let table = object.plan.table
            table.remove(object.key)
            permanentKeys.set(key, for: object.key)
            object.key = key
            object.mutableRow?.setKey(key)
            table.insert(object, key: key)
        }
        keyEpoch += 1
    }

    /// Puts permanent keys in place of temporary ones in the to-ones of an object.
    @inline(__always)
    func replaceTemporaryKeys(in object: ManagedObject) {
        guard let row = object.mutableRow else { return }
        for reference in object.plan.toOnes where !row.row.isNull(reference.slot) {
            let key = row.row.integer(reference.slot)
            if key < 0, let permanent = permanentKeys[key] {
                row.set(integer: permanent, at: reference.slot)
            }
        }
    }
}
