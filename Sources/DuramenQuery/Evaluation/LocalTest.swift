import DuramenModel

/// A condition that reads one row and nothing else.
///
/// Closures over typed slots, so that a scan decodes no value: numbers are compared in place, text
/// by its bytes.
typealias RowTest = @Sendable (Row, ManagedObjectID, StoreHandle) -> Bool

/// A condition on one slot, or on the identity of an object.
enum LocalTest: Sendable {
    case integers(SlotRange<Int64>)
    case doubles(SlotRange<Double>)
    /// For all that has no form without a call for each row.
    case closure(RowTest)

    /// The condition as a closure on one row.
    var rowTest: RowTest {
        switch self {
        case .integers(let range): { row, _, _ in range.holds(row) }
        case .doubles(let range): { row, _, _ in range.holds(row) }
        case .closure(let test): test
        }
    }

    /// Whether the condition holds for a row.
    @inline(__always)
    func holds(_ row: Row, _ id: ManagedObjectID, _ store: StoreHandle) -> Bool {
        switch self {
        case .integers(let range): range.holds(row)
        case .doubles(let range): range.holds(row)
        case .closure(let test): test(row, id, store)
        }
    }

    /// One condition for two that must both hold; nil when there is no faster form than the two.
    func joined(with other: LocalTest) -> LocalTest? {
        switch (self, other) {
        case (.integers(let a), .integers(let b)): a.intersection(b).map { .integers($0) }
        case (.doubles(let a), .doubles(let b)): a.intersection(b).map { .doubles($0) }
        default: nil
        }
    }

    /// The rows of a group for which the condition holds, out of those of a set.
    func matches(_ group: RowGroup, _ candidates: UInt64) -> UInt64 {
        switch self {
        case .integers(let range): group.filter(candidates) { range.holds($0) }
        case .doubles(let range): group.filter(candidates) { range.holds($0) }
        case .closure(let test):
            group.filter(candidates) { test($0, group.id(of: $0), group.store) }
        }
    }
}
