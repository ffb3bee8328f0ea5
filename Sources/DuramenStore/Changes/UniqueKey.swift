public import DuramenModel

/// The values of a row for a uniqueness constraint, as bytes; nil when one of the values is null.
public struct UniqueKey: Hashable, Sendable {
    private let constraint: UniquenessConstraint
    private let bytes: [UInt8]

    /// Creates the key of a row of an entity with this layout.
    public init?(_ row: Row, _ constraint: UniquenessConstraint, layout: RowLayout) {
        guard let bytes = row.bytes(of: constraint.slots, layout: layout) else { return nil }
        self.constraint = constraint
        self.bytes = bytes
    }
}

extension Row {
    /// Returns the values as bytes, equal only for equal values; nil when a value is null.
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

extension UniqueKey {
    /// The SHA-256 digest of the values, for stores that keep no values of any length in an index.
    public var digest: [UInt8] { bytes.withUnsafeBytes { ContentHash.sha256(of: $0) } }
}
