import DuramenModel

/// The difference that an update of a list makes. For a list that was loaded again it is computed
/// when somebody asks for it, because that takes longer than loading the list, and most followers
/// only need to know that the list changed.
enum UpdateDifference: Sendable {
    case known(ListDifference)
    /// The difference of two contents. Some objects count as changed even if their values are
    /// equal.
    case between(ListContent, ListContent, touched: Set<ManagedObjectID>)

    /// No change.
    static let none = UpdateDifference.known(ListDifference())

    /// Whether the update changes nothing.
    ///
    /// - Complexity: O(1) if the contents differ near their beginning.
    var isEmpty: Bool {
        if case .between(let old, let new, _) = self, old.hasOtherRows(than: new) { return false }
        return difference.isEmpty
    }

    /// The difference, computed at each call if it is not known.
    var difference: ListDifference {
        switch self {
        case .known(let difference): difference
        case .between(let old, let new, let touched): old.difference(to: new, touched: touched)
        }
    }
}
