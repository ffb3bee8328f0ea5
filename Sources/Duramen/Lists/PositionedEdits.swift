import DuramenModel
import DuramenQuery

/// Where edits of a list take place.
struct PositionedEdits: Sendable {
    /// A row that is to be put in.
    struct Insertion: Sendable {
        /// The number of its edit.
        let edit: Int
        let part: Int
        let row: Row
        let keys: BoundSortKeys
        /// The position of the row that it comes before.
        let offset: Int
        let name: StoredText
    }

    /// A row that is to be taken out.
    struct Removal: Sendable {
        /// The number of its edit.
        let edit: Int
        let part: Int
        let position: Int
    }

    /// A row that takes the place of one that shows the same.
    struct Replacement: Sendable {
        let position: Int
        let part: Int
        let row: Row
    }

    /// By position.
    var removed: [Removal] = []
    /// In order.
    var inserted: [Insertion] = []
    var replaced: [Replacement] = []

    /// What is both taken out and put in.
    var pairs: [ListComparison.Pair] {
        var numbers: [Int: Int] = [:]
        for (number, removal) in removed.enumerated() { numbers[removal.edit] = number }
        return inserted.enumerated().compactMap { number, insertion in
            numbers[insertion.edit].map { ListComparison.Pair(removed: $0, inserted: number) }
        }
    }
}
