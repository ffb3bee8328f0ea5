/// Brings together what two sides made of one list without duplicates.
enum OrderMerging {
    /// The list of the other side, with what this side added, removed and moved.
    ///
    /// A member that this side added or moved stands behind the member that it stands behind here.
    /// One that either side removed is gone, and one that both moved stands where this side wants
    /// it.
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
