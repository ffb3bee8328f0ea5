import DuramenModel
import DuramenQuery

/// What a list holds at one moment: rows in order and in sections. A copy shares all that does not
/// change.
struct ListContent: Sendable {
    let parts: [ListPart]
    /// By part.
    var related: [RelatedRows]
    var rows: RowSequence
    var sections: ListSections
    /// The positions of the rows that are shown.
    var shown: Range<Int>
    /// The sections of the rows that are shown, whose positions begin with 0.
    var shownSections: ListSections
    /// When the rows were what the objects have, by ``ContextLists/time``.
    var time = -1
    /// The part of a block's rows, in a list of several stores.
    var partOfBlock: [ObjectIdentifier: Int] = [:]

    /// The part that a listed row is of.
    func part(of row: Row) -> Int {
        parts.count == 1 ? 0 : partOfBlock[ObjectIdentifier(row.storage)] ?? 0
    }

    func id(of row: Row) -> ManagedObjectID { parts[part(of: row)].id(of: row) }

    /// The number of rows that are shown.
    var count: Int { shown.count }

    /// A row that is shown.
    subscript(position: Int) -> Row { rows[shown.lowerBound + position] }

    /// The position that an index path stands for; nil when there is none.
    func position(of path: FetchedResultsIndexPath) -> Int? {
        guard 0..<shownSections.count ~= path.section else { return nil }
        let rows = shownSections.rows(of: path.section)
        return 0..<rows.count ~= path.row ? rows.lowerBound + path.row : nil
    }

    /// The position of the first row that does not come before something.
    ///
    /// - Parameters:
    ///   - start: A position that is likely to be near it.
    ///   - comparisons: Grows by how many rows were looked at.
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
        if let start { return rows.firstPosition(near: start, notBefore: comesAfter) }
        return rows.firstPosition(notBefore: comesAfter)
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
}
