import DuramenModel
import DuramenQuery

extension ListContent {
    /// Returns the difference to the content of a list that was loaded again.
    ///
    /// - Parameters:
    ///   - next: The new content.
    ///   - touched: The objects that count as changed even if their values are equal.
    /// - Complexity: O(*n* log *n*).
    func difference(to next: ListContent, touched: Set<ManagedObjectID>) -> ListDifference {
        let old = rowsByID
        let new = next.rowsByID
        var offsets = [ManagedObjectID: Int](minimumCapacity: old.count)
        for (offset, item) in old.enumerated() { offsets[item.id] = offset }
        let pairs = new.enumerated().compactMap { offset, item in
            offsets[item.id].map { ListComparison.Pair(removed: $0, inserted: offset) }
        }
        let comparison = ListComparison(
            old: .init(self), new: .init(next),
            hasOtherSections: shownSections.names != next.shownSections.names,
            removed: Array(old.indices), removedIDs: old.map(\.id),
            offsets: Array(repeating: old.count, count: new.count), insertedIDs: new.map(\.id),
            pairs: pairs, idAtOldPosition: { old[$0].id })
        var difference = comparison.difference()
        difference.items.removeAll { item in
            guard item.kind == .update, !touched.contains(item.id),
                let before = item.old.flatMap(position), let after = item.new.flatMap(next.position)
            else { return false }
            return isSame(self[before], next[after], in: next)
        }
        return difference
    }

    /// Whether another row, or another value, is shown at some position.
    func hasOtherRows(than next: ListContent) -> Bool {
        count != next.count
            || (0..<count).contains { position in
                let (row, other) = (self[position], next[position])
                return id(of: row) != next.id(of: other) || !isSame(row, other, in: next)
            }
    }

    private var rowsByID: [(id: ManagedObjectID, row: Row)] {
        var all: [(id: ManagedObjectID, row: Row)] = []
        all.reserveCapacity(rows.count)
        rows.forEach { all.append((id(of: $0), $0)) }
        return all
    }

    /// Whether a row has the same visible values here as another row in another list.
    private func isSame(_ row: Row, _ other: Row, in next: ListContent) -> Bool {
        let (own, offset) = (part(of: row), next.part(of: other))
        let (part, new) = (parts[own], next.parts[offset])
        guard part.model === new.model, part.areEqual(row, other) else { return false }
        let keys = part.keys(of: row, in: related[own])
        return part.order.order(keys, other, by: new.order, in: next.related[offset]) == 0
    }
}
