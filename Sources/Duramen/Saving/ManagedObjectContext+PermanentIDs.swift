import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Gives new objects their permanent IDs without saving them. They stay new.
    ///
    /// Objects with permanent IDs are skipped. Keys that are never saved are lost.
    public func obtainPermanentIDs(for objects: some Sequence<ManagedObject>) throws {
        requireOwner()
        let objects = ContiguousArray(objects)
        for object in objects { requireOwn(object, for: "give a permanent ID to") }
        for part in parts {
            let own = ContiguousArray(objects.filter { $0.plan.handle === part.handle })
            try part.assignKeys(to: own)
            try part.obtainKeysFromParent(for: own)
        }
    }
}

extension ContextPart {
    /// Assigns keys to new objects.
    ///
    /// - Returns: The rows of the objects to save, if they are complete after this single pass.
    @discardableResult
    func assignKeys(to objects: ContiguousArray<ManagedObject>) throws -> RowList? {
        guard let counts = keyCounts(for: objects) else { return nil }
        return assign(try connection.allocateKeys(counts), to: objects)
    }

    /// Returns the number of keys that objects need, by the index of their root entity; nil if
    /// none.
    func keyCounts(for objects: ContiguousArray<ManagedObject>) -> [Int]? {
        if objects.isEmpty { return nil }
        var counts = [Int](repeating: 0, count: model.entities.count)
        var total = 0
        objects.forEachBorrowed { object in
            guard object.key < 0, object.flags.contains(.inserted) else { return }
            counts[object.withPlan { $0.rootIndex }] += 1
            total += 1
        }
        return total == 0 ? nil : counts
    }

    /// Returns an object's row, with permanent keys in its to-ones as far as they are known.
    func rowWithPermanentKeys(of object: ManagedObject) -> Row? {
        usePermanentKeys(in: object)
        return object.row
    }

    /// Puts permanent keys into the to-ones of an object as far as they are known.
    @inline(__always) func usePermanentKeys(in object: ManagedObject) {
        if !identity.permanentKeys.isEmpty { replaceTemporaryKeys(in: object) }
    }

    /// Replaces temporary keys in the to-ones of an object by permanent ones.
    ///
    /// - Returns: Whether no temporary key is left.
    @inline(__always) @discardableResult
    func replaceTemporaryKeys(in object: ManagedObject) -> Bool {
        guard object.flags.contains(.writable), let words = object.words else { return true }
        return object.withPlan { plan in
            var isComplete = true
            // By index, because iterating over the list would retain it.
            for index in plan.borrowedReferences.slots.indices {
                let offset = plan.borrowedReferences.slots[index] &* 8
                let key = words.load(fromByteOffset: offset, as: Int64.self)
                // The word of a null slot is 0.
                if key >= 0 { continue }
                if let permanent = identity.permanentKey(for: key) {
                    words.storeBytes(of: permanent, toByteOffset: offset, as: Int64.self)
                } else {
                    isComplete = false
                }
            }
            return isComplete
        }
    }

    /// Assigns keys to new objects while there are any, by the index of their root entity.
    ///
    /// - Returns: The result of ``assignKeys(to:)``.
    @discardableResult
    func assign(
        _ keys: [Range<Int64>], to objects: ContiguousArray<ManagedObject>
    ) -> RowList? {
        var rows = RowList()
        rows.reserveCapacity(objects.count)
        var isComplete = true
        var next = keys.map(\.lowerBound)
        let hasRelatives = parentPart != nil || hasChildren
        var moves: [KeyMove] = []
        identity.reserve(keys.reduce(0) { $0 + $1.count })
        for (root, keys) in keys.enumerated() where !keys.isEmpty {
            plans[root].table.expect(keysBelow: keys.upperBound, count: keys.count)
        }
        objects.forEachBorrowed { object in
            let root = object.withPlan { $0.rootIndex }
            let key = next[root]
            guard object.key < 0, object.flags.contains(.inserted), key < keys[root].upperBound
            else {
                isComplete = false
                return
            }
            next[root] = key + 1
            object.withPlan { plan in
                plan.borrowedTable.with {
                    $0.move(from: object.key, to: key)
                }
            }
            identity.set(key, for: object.key)
            if hasRelatives { moves.append(KeyMove(of: object, to: key)) }
            object.key = key
            // A new object always has its own row.
            if let words = object.words { Row.setKey(key, at: words) }
            object.addRow(to: &rows)
            if !replaceTemporaryKeys(in: object) { isComplete = false }
        }
        // Members of to-manys in other parts may have new IDs too.
        for part in context.parts { part.identity.beginEpoch() }
        if hasRelatives { spread(moves) }
        return isComplete ? rows : nil
    }
}
