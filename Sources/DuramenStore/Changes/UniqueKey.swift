public import DuramenModel

/// The values of a row that a constraint allows once, by their bytes; there is none when a part is null.
public struct UniqueKey: Hashable, Sendable {
    private let constraint: UniquenessConstraint
    private let bytes: [UInt8]

    /// Takes the values of a row of an entity with that layout.
    public init?(_ row: Row, _ constraint: UniquenessConstraint, layout: RowLayout) {
        self.constraint = constraint
        var bytes: [UInt8] = []
        for slot in constraint.slots {
            if row.isNull(slot) { return nil }
            if layout.kinds[slot].isTail {
                let value = row.unsafeBytes(slot)
                withUnsafeBytes(of: value.count) { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: value)
            } else {
                withUnsafeBytes(of: row.integer(slot)) { bytes.append(contentsOf: $0) }
            }
        }
        self.bytes = bytes
    }
}
