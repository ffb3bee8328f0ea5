/// Merges the changes of two sides to one list without duplicates.
enum OrderMerging {
    /// Returns the other side's list with this side's additions, removals and moves.
    ///
    /// A member that this side added or moved follows the same member as on this side. A member
    /// that either side removed is gone. A member that both sides moved has this side's position.
    /// - Complexity: O(*n* log *n*), and O(*n*) more for each member that this side added or moved.
    static func merge<Member: Hashable>(
        base: [Member], mine: [Member], theirs: [Member]
    ) -> [Member] {
        if mine == base { return theirs }
        if theirs == base { return mine }
        let inBase = Set(base)
        let inTheirs = Set(theirs)
        let wanted = mine.filter { inTheirs.contains($0) || !inBase.contains($0) }
        let unmoved = Set(OrderNumbers.unmovedPositions(wanted, in: base).map { wanted[$0] })
        let placed = Set(wanted).subtracting(unmoved)
        let inMine = Set(mine)
        var result = theirs.filter {
            !placed.contains($0) && (inMine.contains($0) || !inBase.contains($0))
        }
        var previous: Member?
        for member in wanted {
            if placed.contains(member) {
                let index = previous.flatMap { result.firstIndex(of: $0) }
                result.insert(member, at: index.map { $0 + 1 } ?? 0)
            }
            previous = member
        }
        return result
    }
}
