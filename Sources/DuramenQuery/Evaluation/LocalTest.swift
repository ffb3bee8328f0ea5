package import DuramenModel

/// A condition that needs only one row.
///
/// The closure uses typed slots, so that a scan decodes no values: numbers are compared in place,
/// and text by its bytes.
package typealias RowTest = @Sendable (Row, ManagedObjectID, StoreHandle) -> Bool

/// A condition on one slot, or on the identity of an object.
enum LocalTest: Sendable {
    case integers(SlotRange<Int64>)
    case doubles(SlotRange<Double>)
    /// A condition without a form that avoids a call for each row.
    case closure(RowTest)

    /// The condition as a closure on one row.
    var rowTest: RowTest {
        switch self {
        case .integers(let range): { row, _, _ in range.holds(row) }
        case .doubles(let range): { row, _, _ in range.holds(row) }
        case .closure(let test): test
        }
    }

    /// Returns whether the condition holds for a row.
    @inline(__always)
    func holds(_ row: Row, _ id: ManagedObjectID, _ store: StoreHandle) -> Bool {
        switch self {
        case .integers(let range): range.holds(row)
        case .doubles(let range): range.holds(row)
        case .closure(let test): test(row, id, store)
        }
    }

    /// Returns one faster condition for two that must both hold; nil if none exists.
    func joined(with other: LocalTest) -> LocalTest? {
        switch (self, other) {
        case (.integers(let a), .integers(let b)): a.intersection(b).map { .integers($0) }
        case (.doubles(let a), .doubles(let b)): a.intersection(b).map { .doubles($0) }
        default: nil
        }
    }

    /// Returns the candidates of a group for which the condition holds.
    func matches(_ group: RowGroup, _ candidates: UInt64) -> UInt64 {
        switch self {
        case .integers(let range): group.filter(candidates) { range.holds($0) }
        case .doubles(let range): group.filter(candidates) { range.holds($0) }
        case .closure(let test):
            group.filter(candidates) { test($0, group.id(of: $0), group.store) }
        }
    }
}
