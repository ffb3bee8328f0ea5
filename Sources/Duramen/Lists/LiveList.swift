import DuramenModel
import DuramenQuery
import DuramenStore

/// The rows of a list, in order and in sections, as a value that maintains its order. It knows
/// stores only by their models, and can be used in any isolation.
///
/// A list with a limit knows some rows after the shown ones, so that most removed rows are replaced
/// without a query.
struct LiveList: Sendable {
    /// The result of a change for one object.
    struct Edit: Sendable {
        /// The index of its store among those of the list.
        var part: Int
        var key: Int64
        /// The row; nil if the object does not belong to the list any more.
        var row: Row?
        /// Whether the object counts as changed even if its values are equal.
        var isTouched = false
        /// The section, if a closure names it.
        var sectionName: StoredText?
    }

    /// Edits with their positions.
    struct PreparedUpdate: Sendable {
        /// By part, the state of the list after the update.
        fileprivate let generations: [StoreGeneration]
        /// The difference that the update makes.
        let difference: ListDifference
        fileprivate let positioned: PositionedEdits
        fileprivate let related: [RelatedRows]
        fileprivate let sections: ListSections
        fileprivate let shown: ListComparison.Shown
        fileprivate let comparisonCount: Int
    }

    private(set) var content: ListContent
    /// The state of the rows, by part.
    private(set) var generations: [StoreGeneration]
    /// The ``ContextLists/time`` at which the rows matched the objects.
    var time: Int {
        get { content.time }
        set { content.time = newValue }
    }
    /// The rows by key, by part.
    private var tables: [ListRowTable]
    /// Whether all rows are known, not only the first ones.
    let isComplete: Bool
    private let window: ListWindow
    /// The number of row comparisons that keeping the order has taken.
    private(set) var comparisonCount = 0

    /// Creates a list of ordered rows.
    ///
    /// - Parameters:
    ///   - found: The rows.
    ///   - parts: The parts.
    ///   - generations: The state of the rows, by part.
    ///   - window: The range that is shown.
    ///   - names: The sections of the rows, if a closure names them.
    init(
        _ found: ListRows, parts: [ListPart], of generations: [StoreGeneration],
        window: ListWindow, names: [StoredText]?
    ) throws(ListSections.Torn) {
        self.generations = generations
        self.window = window
        isComplete = found.isComplete
        let count = found.rows.count
        var sections = ListSections(count: count)
        if parts.first?.section != nil || names != nil {
            sections = try ListSections(
                names: found.rows.indices.lazy.map { index in
                    let (part, row) = found.rows[index]
                    return names?[index]
                        ?? parts[part].sectionName(of: row, in: found.related[part])
                })
        }
        let shown = window.shown(of: count)
        content = ListContent(
            parts: parts, related: found.related, rows: RowSequence(found.rows.lazy.map(\.row)),
            sections: sections,
            shown: shown, shownSections: sections.clipped(to: shown))
        tables = parts.map { _ in ListRowTable(capacity: parts.count == 1 ? count : 0) }
        for (part, row) in found.rows { record(row, of: part) }
    }

    // MARK: - Finding

    /// Returns the row of an object; nil if it is not listed.
    func row(of key: Int64, in part: Int) -> Row? { tables[part].find(key) }

    /// Returns the position of an object; nil if it is not listed.
    func position(of key: Int64, in part: Int) -> Int? {
        var count = 0
        return position(of: key, in: part, &count)
    }

    private func position(of key: Int64, in part: Int, _ comparisons: inout Int) -> Int? {
        guard let row = tables[part].find(key) else { return nil }
        let keys = content.parts[part].keys(of: row, in: content.related[part])
        let position = content.position(of: keys, from: part, &comparisons)
        let rows = content.rows
        if position < rows.count, rows[position].unsafeWords == row.unsafeWords { return position }
        // Not reached with a total order.
        return (0..<rows.count).first { rows[$0].unsafeWords == row.unsafeWords }
    }

    private mutating func record(_ row: Row, of part: Int) {
        tables[part].insert(row)
        if tables.count > 1 { content.partOfBlock[ObjectIdentifier(row.storage)] = part }
    }

    // MARK: - Changing

    /// Finds the positions of edits, at most one per object.
    ///
    /// - Parameters:
    ///   - edits: The edits.
    ///   - related: The related rows of the list after the update, by part.
    ///   - generations: The state of the list after the update, by part.
    /// - Returns: The argument for ``apply(_:)``; nil if more rows would be shown than are known.
    /// - Throws: If the rows of a section would not be consecutive.
    /// - Complexity: O(*k* log *n*) comparisons for *k* edits.
    func prepareUpdate(
        _ edits: [Edit], related: [RelatedRows], of generations: [StoreGeneration]
    ) throws(ListSections.Torn) -> PreparedUpdate? {
        var comparisons = 0
        let positioned = positioned(edits, related, &comparisons)
        let count = content.rows.count - positioned.removed.count + positioned.inserted.count
        if !isComplete, count < window.end { return nil }
        let positions = positioned.removed.map(\.position)
        let (sections, areOthers) = try content.sections.replacing(
            removing: positions, inserting: positioned.inserted.map { ($0.offset, $0.name) })
        let range = window.shown(of: count)
        let old = ListComparison.Shown(content)
        let new = ListComparison.Shown(range: range, sections: sections.clipped(to: range))
        let comparison = ListComparison(
            old: old, new: new,
            hasOtherSections: areOthers
                || window.isPart && old.sections.names != new.sections.names,
            removed: positions, removedIDs: positions.map { content.id(of: content.rows[$0]) },
            offsets: positioned.inserted.map(\.offset),
            insertedIDs: positioned.inserted.map { content.parts[$0.part].id(of: $0.row) },
            pairs: positioned.pairs,
            idAtOldPosition: { [content] in content.id(of: content.rows[$0]) })
        return PreparedUpdate(
            generations: generations, difference: comparison.difference(), positioned: positioned,
            related: related,
            sections: sections, shown: new, comparisonCount: comparisons)
    }

    /// Applies an update that was prepared for the present list.
    mutating func apply(_ update: PreparedUpdate) {
        let positioned = update.positioned
        comparisonCount += update.comparisonCount
        generations = update.generations
        for replacement in positioned.replaced {
            // First, while the row that it replaces can still be found.
            record(replacement.row, of: replacement.part)
            content.rows.replace(at: replacement.position, with: replacement.row)
        }
        for removal in positioned.removed {
            tables[removal.part].remove(content.rows[removal.position])
        }
        content.rows.replace(
            removing: positioned.removed.map(\.position),
            inserting: positioned.inserted.map { ($0.offset, $0.row) })
        content.related = update.related
        content.sections = update.sections
        content.shown = update.shown.range
        content.shownSections = update.shown.sections
        for insertion in positioned.inserted { record(insertion.row, of: insertion.part) }
    }

    private func positioned(
        _ edits: [Edit], _ related: [RelatedRows], _ comparisons: inout Int
    ) -> PositionedEdits {
        var positioned = PositionedEdits()
        var staying: [PositionedEdits.Insertion] = []
        var comers: [(edit: Int, keys: BoundSortKeys, old: Int?)] = []
        func insertion(
            _ number: Int, _ row: Row, at offset: Int
        ) -> PositionedEdits.Insertion {
            let edit = edits[number]
            let part = content.parts[edit.part]
            return PositionedEdits.Insertion(
                edit: number, part: edit.part, row: row, offset: offset,
                name: edit.sectionName ?? part.sectionName(of: row, in: related[edit.part]))
        }
        let positions = positions(of: edits, &comparisons)
        for (number, edit) in edits.enumerated() {
            let position = positions[number]
            if let position, let row = edit.row, isSame(edit, row, at: position) {
                positioned.replaced.append(.init(position: position, part: edit.part, row: row))
                continue
            }
            if let position {
                positioned.removed.append(.init(edit: number, part: edit.part, position: position))
            }
            guard let row = edit.row else { continue }
            let keys = content.parts[edit.part].keys(of: row, in: related[edit.part])
            if let position {
                comparisons += 1
                if content.belongs(keys, from: edit.part, at: position) {
                    staying.append(insertion(number, row, at: position))
                    continue
                }
            }
            comers.append((number, keys, position))
        }
        positioned.removed.sort { $0.position < $1.position }
        staying.sort { $0.offset < $1.offset }
        let order = content.parts[0].order
        comers.sort { a, b in
            comparisons += 1
            return order.precedes(a.keys, b.keys)
        }
        let areMany = comers.count > Self.few
        var last: Int?
        var coming: [PositionedEdits.Insertion] = []
        for (number, keys, old) in comers {
            // With many rows, each belongs a little after the one before; with few, near its old
            // position.
            let offset = content.position(
                of: keys, from: edits[number].part, near: last ?? old, &comparisons)
            if areMany { last = offset }
            // Rows after the last known one are unknown.
            if offset == content.rows.count, !isComplete { continue }
            coming.append(insertion(number, keys.row, at: offset))
        }
        positioned.insert(coming, staying: staying)
        return positioned
    }

    /// Up to this number, edits are looked up one by one.
    private static let few = 32

    /// Returns the positions of the edited objects; nil for objects that are not listed.
    private func positions(of edits: [Edit], _ comparisons: inout Int) -> [Int?] {
        // If many rows change, iterating over all is cheaper than the searches.
        guard edits.count > Self.few, edits.count * 32 > content.rows.count, tables.count == 1
        else { return edits.map { position(of: $0.key, in: $0.part, &comparisons) } }
        var sought = ListRowTable(capacity: edits.count)
        for edit in edits {
            if let row = tables[0].find(edit.key) { sought.insert(row) }
        }
        var found: [Int64: Int] = [:]
        found.reserveCapacity(sought.count)
        var offset = 0
        content.rows.forEach { row in
            if sought.find(row.key) != nil { found[row.key] = offset }
            offset += 1
        }
        return edits.map { found[$0.key] }
    }

    private func isSame(_ edit: Edit, _ row: Row, at position: Int) -> Bool {
        if edit.isTouched || !content.parts[edit.part].areEqual(content.rows[position], row) {
            return false
        }
        guard let name = edit.sectionName else { return true }
        return content.sections.names[content.sections.index(of: position)] == name
    }
}
