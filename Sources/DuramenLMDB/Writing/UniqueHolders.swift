import DuramenModel
import DuramenStore

/// Finds the stored rows with given unique values.
struct UniqueHolders {
    let rows: RowReading
    /// The number of each index.
    let numbers: [UInt32?]

    /// Returns the rows of a constraint's entities whose values equal those of a row, including the
    /// row itself if it is stored.
    func rows(
        like row: Row, _ constraint: UniquenessConstraint
    ) throws(StoreError) -> [Row] {
        let schema = rows.schema
        let found = schema.indexes.indices.first { place in
            if case .uniqueness(let other) = schema.indexes[place].purpose {
                other == constraint
            } else {
                false
            }
        }
        guard let place = found, let number = numbers[place] else { return [] }
        let index = schema.indexes[place]
        var key = KeyBuilder()
        key.build(index, number: number, of: row)
        let keys = try rows.keys(
            behind: UnsafeRawBufferPointer(rebasing: key.bytes.dropLast(8)), in: schema.tables.index
        )
        var result: [Row] = []
        for key in keys {
            guard let other = try rows.row(key, in: constraint.entity),
                index.parts.allSatisfy({ row.hasSameValue($0.slot, $0.kind, as: other) })
            else { continue }
            result.append(other)
        }
        return result
    }
}
