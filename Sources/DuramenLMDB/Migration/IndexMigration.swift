import DuramenModel
import DuramenQuery
import DuramenStore

/// Migrates the indexes of a store to another version of its model. An index is kept if all of its
/// entries are still correct. The others are rebuilt.
struct IndexMigration {
    let change: SchemaChange
    let old: StoreSchema
    let new: StoreSchema
    let cancellation: CancellationFlag

    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - schema: The number of the new schema.
    func migrate(_ transaction: Transaction, schema: Int) throws(StoreError) -> IndexList {
        let meta = MetaTable(transaction: transaction, table: old.tables.meta)
        var list = try meta.indexList()
        list.schema = schema
        var signatures: [String: String] = [:]
        for index in new.indexes {
            guard let before = old.indexes.first(where: { isSame($0, index) }) else { continue }
            signatures[before.signature] = index.signature
            if let unenforced = before.unenforcedSignature {
                signatures[unenforced] = index.unenforcedSignature
            }
        }
        for place in list.entries.indices {
            // No index has this signature, so it is dropped.
            let signature = signatures[list.entries[place].signature]
            list.entries[place].signature = signature ?? "gone.\(place)"
        }
        try meta.set(list)
        return try IndexUpkeep(
            schema: new, transaction: transaction, cancellation: cancellation
        ).reconcile(looksAgain: true)
    }

    /// Whether the entries of an old index equal those of a new one.
    private func isSame(_ before: StoreIndex, _ index: StoreIndex) -> Bool {
        guard before.parts.count == index.parts.count,
            before.isOfConstraint == index.isOfConstraint,
            before.isMadeWhenNeeded == index.isMadeWhenNeeded
        else { return false }
        // It must have exactly the rows that it had before.
        let members = change.target[index.entity].family.compactMap {
            change.sourceEntities[$0.index]
        }
        guard Set(members) == Set(change.source[before.entity].family) else { return false }
        return members.allSatisfy { member in
            guard let rows = change.rows[member.index] else { return false }
            return zip(before.parts, index.parts).allSatisfy { old, new in
                old.kind == new.kind
                    && keeps(
                        rows.sources[new.slot(in: rows.entity)], old.slot(in: member))
            }
        }
    }

    /// Whether a slot has exactly the values of another slot.
    private func keeps(_ source: RowChange.Source, _ slot: Int) -> Bool {
        switch source {
        case .slot(slot, let conversion, .null): !(conversion?.changesBytes ?? false)
        case .reference(slot, _, let destination):
            change.source[destination].family.allSatisfy { change.targetEntity($0) != nil }
        default: false
        }
    }
}
