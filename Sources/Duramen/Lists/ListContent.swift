import DuramenModel
import DuramenQuery

/// The content of a list at one moment: rows in order and in sections. Copies share unchanged
/// storage.
struct ListContent: Sendable {
    let parts: [ListPart]
    /// The related rows by part.
    var related: [RelatedRows]
    var rows: RowSequence
    var sections: ListSections
    /// The positions of the rows that are shown.
    var shown: Range<Int>
    /// The sections of the shown rows, with positions from 0.
    var shownSections: ListSections
    /// The ``ContextLists/time`` at which the rows matched the objects.
    var time = -1
    /// The part of a block's rows, in a list of several stores.
    var partOfBlock: [ObjectIdentifier: Int] = [:]

    /// Returns the part of a listed row.
    func part(of row: Row) -> Int {
        parts.count == 1 ? 0 : partOfBlock[ObjectIdentifier(row.storage)] ?? 0
    }

    func id(of row: Row) -> ManagedObjectID { parts[part(of: row)].id(of: row) }

    /// The number of rows that are shown.
    var count: Int { shown.count }

    /// Returns a shown row.
    subscript(position: Int) -> Row { rows[shown.lowerBound + position] }

    /// Returns the position of an index path; nil if there is none.
    func position(of path: FetchedResultsIndexPath) -> Int? {
        guard 0..<shownSections.count ~= path.section else { return nil }
        let rows = shownSections.rows(of: path.section)
        return 0..<rows.count ~= path.row ? rows.lowerBound + path.row : nil
    }

    /// Returns the position of the first row that does not sort before some keys.
    ///
    /// - Parameters:
    ///   - keys: The sort keys.
    ///   - number: The part that the keys are of.
    ///   - start: A position that is probably near.
    ///   - comparisons: Incremented for each row that was compared.
    func position(
        of keys: BoundSortKeys, from number: Int, near start: Int? = nil,
        _ comparisons: inout Int
    ) -> Int {
        let part = parts[number]
        let only = related[0]
        func comesAfter(_ chunk: ContiguousArray<Row>, _ offset: Int) -> Bool {
            comparisons += 1
            if parts.count > 1 {
                let other = self.part(of: chunk[offset])
                return order(of: keys, from: part, to: chunk[offset], parts[other], related[other])
                    > 0
            }
            // Sound: the chunk keeps it.
            let row = Row(borrowing: chunk[offset].unsafeWords)
            return order(of: keys, from: part, to: row, part, only) > 0
        }
        return rows.firstPosition(near: start, notBefore: comesAfter)
    }

    @inline(__always)
    private func order(
        of keys: BoundSortKeys, from part: ListPart, to row: Row, _ other: ListPart,
        _ related: RelatedRows
    ) -> Int {
        let order = part.order.order(keys, row, by: other.order, in: related)
        if order != 0 { return order }
        let id = other.id(of: row)
        if keys.id == id { return 0 }
        return part.order.precedes(keys.id, id) ? -1 : 1
    }

    /// Whether a row with some keys belongs where its object's row is.
    ///
    /// - Parameters:
    ///   - keys: The sort keys.
    ///   - number: The part that the keys are of.
    ///   - position: The position of the object's row.
    func belongs(_ keys: BoundSortKeys, from number: Int, at position: Int) -> Bool {
        let order = parts[number].order
        return order.order(keys, rows[position], by: order, in: related[number]) == 0
    }
}
