import DuramenFileStore
import DuramenModel
import DuramenStore

extension StoreWriter {
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        guard schema.model.entities.indices.contains(entity.index), count >= 0 else {
            throw StoreError(
                .invalidRequest,
                "Keys are allocated for an entity of the model, zero or more at once.")
        }
        let root = schema.model[entity].root.index
        let ready = try aloneHere { () throws(StoreError) in leases[root].take(count) }
        if let ready { return ready }
        return try alone { () throws(StoreError) in
            if let range = leases[root].take(count) { return range }
            let size = leases[root].nextSize(count)
            let range = try transaction { (transaction) throws(StoreError) in
                try lease(
                    size, root, MetaTable(transaction: transaction, table: schema.tables.meta))
            }
            if let range { leases[root].add(range) }
            guard let result = leases[root].take(count) else {
                throw StoreError(.io, "No keys could be leased from '\(schema.path)'.")
            }
            return result
        }
    }

    /// Allocates keys within the current transaction.
    func allocateKeys(
        _ count: Int, for entity: EntityID, within transaction: Transaction
    ) throws(StoreError) -> Range<Int64> {
        let meta = MetaTable(transaction: transaction, table: schema.tables.meta)
        return try lease(count, schema.model[entity].root.index, meta)
    }

    private func lease(
        _ count: Int, _ root: Int, _ meta: MetaTable
    ) throws(StoreError) -> Range<Int64> {
        let first = try meta.nextKey(root: schema.numbers.roots[root])
        let (end, overflows) = first.addingReportingOverflow(Int64(count))
        if overflows {
            throw StoreError(.tooLarge, "The keys of a table of '\(schema.path)' are used up.")
        }
        try meta.setNextKey(end, root: schema.numbers.roots[root])
        return first..<end
    }

    /// Ensures that keys that were not leased here, as of converted rows, are never allocated.
    ///
    /// - Parameters:
    ///   - highestKeys: The highest keys of the inserted rows, by root entity.
    ///   - meta: The table with the next keys.
    func raiseNextKeys(_ highestKeys: [Int: Int64], _ meta: MetaTable) throws(StoreError) {
        for (root, key) in highestKeys {
            leases[root].skip(through: key)
            if key < leases[root].end { continue }
            let number = schema.numbers.roots[root]
            let next = key == .max ? key : key + 1
            if try meta.nextKey(root: number) < next { try meta.setNextKey(next, root: number) }
        }
    }
}
