public import DuramenModel

/// The values of a row that a constraint allows once, by their bytes; there is none when a part is null.
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
