import DuramenModel

/// Edits of a list with their positions.
struct PositionedEdits: Sendable {
    /// A row to insert.
    struct Insertion: Sendable {
        /// The index of its edit.
        let edit: Int
        let part: Int
        let row: Row
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

    /// Adds insertions, in order.
    ///
    /// - Parameters:
    ///   - coming: Rows that come to other places or from outside the list, in order.
    ///   - staying: Rows that stay at the places of their objects, in order.
    mutating func insert(_ coming: [Insertion], staying: [Insertion]) {
        var staying = staying[...]
        for insertion in coming {
            // A row that comes to a place was sorted before the row there, which may stay.
            while let next = staying.first, next.offset < insertion.offset {
                inserted.append(next)
                staying.removeFirst()
            }
            inserted.append(insertion)
        }
        inserted += staying
    }

    /// The objects that are both removed and inserted.
    var pairs: [ListComparison.Pair] {
        var numbers: [Int: Int] = [:]
        for (number, removal) in removed.enumerated() { numbers[removal.edit] = number }
        return inserted.enumerated().compactMap { number, insertion in
            numbers[insertion.edit].map { ListComparison.Pair(removed: $0, inserted: number) }
        }
    }
}
