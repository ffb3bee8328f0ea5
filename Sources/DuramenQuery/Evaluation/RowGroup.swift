import DuramenModel

/// A group of up to 64 rows that are evaluated together. Sets of them are words: bit *i* is row
/// *i*.
struct RowGroup {
    let rows: UnsafeBufferPointer<Row>
    let model: ManagedObjectModel
    let store: StoreHandle

    /// Returns the rows of a set for which a condition holds.
    @inline(__always)
    func filter<Failure: Error>(
        _ candidates: UInt64, _ holds: (Row) throws(Failure) -> Bool
    ) throws(Failure) -> UInt64 {
        var (found, rest) = (UInt64(0), candidates)
        while rest != 0 {
            let place = rest.trailingZeroBitCount
            rest &= rest - 1
            if try holds(rows[place]) { found |= 1 << UInt64(place) }
        }
        return found
    }

    /// Returns the ID of a row's object.
    func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }
}
