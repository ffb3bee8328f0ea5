import DuramenModel
import DuramenQuery

/// Edits of a list with their positions.
struct PositionedEdits: Sendable {
    /// A row to insert.
    struct Insertion: Sendable {
        /// The index of its edit.
        let edit: Int
        let part: Int
        let row: Row
        let keys: BoundSortKeys
        /// The position of the row that it is inserted before.
        let offset: Int
        let name: StoredText
    }

    /// A row to remove.
    struct Removal: Sendable {
        /// The index of its edit.
        let edit: Int
        let part: Int
        let position: Int
    }

    /// A row that replaces one with equal values.
    struct Replacement: Sendable {
        let position: Int
        let part: Int
        let row: Row
    }

    /// The removals, by position.
    var removed: [Removal] = []
    /// The insertions, in order.
    var inserted: [Insertion] = []
    var replaced: [Replacement] = []

    /// The objects that are both removed and inserted.
    var pairs: [ListComparison.Pair] {
        var numbers: [Int: Int] = [:]
        for (number, removal) in removed.enumerated() { numbers[removal.edit] = number }
        return inserted.enumerated().compactMap { number, insertion in
            numbers[insertion.edit].map { ListComparison.Pair(removed: $0, inserted: number) }
        }
    }
}
