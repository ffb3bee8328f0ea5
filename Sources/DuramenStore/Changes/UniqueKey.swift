public import DuramenModel

/// The values of a row that a constraint allows once, by their bytes; there is none when a part is
/// null.
public struct UniqueKey: Hashable, Sendable {
    private let constraint: UniquenessConstraint
    private let bytes: [UInt8]

    /// Takes the values of a row of an entity with that layout.
    public init?(_ row: Row, _ constraint: UniquenessConstraint, layout: RowLayout) {
        guard let bytes = row.bytes(of: constraint.slots, layout: layout) else { return nil }
        self.constraint = constraint
        self.bytes = bytes
    }
}

extension Row {
    /// Some values as bytes, equal for equal values only; nil when one is null.
    func bytes(of slots: [Int], layout: RowLayout) -> [UInt8]? {
        var bytes: [UInt8] = []
        for slot in slots {
            if isNull(slot) { return nil }
            if layout.kinds[slot].isTail {
                let value = unsafeBytes(slot)
                withUnsafeBytes(of: value.count) { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: value)
            } else {
                withUnsafeBytes(of: integer(slot)) { bytes.append(contentsOf: $0) }
            }
        }
        return bytes
    }
}
