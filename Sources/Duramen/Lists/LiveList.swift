import DuramenModel
import DuramenQuery
import DuramenStore

/// The rows of a list, in order and in sections, as a value that keeps itself in order: it knows stores by their
/// models only, and can be worked on anywhere.
///
/// A list with a limit knows some rows behind what it shows, so that most of what leaves it is replaced without
/// asking anybody.
struct LiveList: Sendable {
    /// What became of an object.
    struct Edit: Sendable {
        /// The place of its store among those of the list.
        var part: Int
        var key: Int64
        /// Nil when the object does not belong to the list any more.
        var row: Row?
        /// Whether it counts as changed although it shows the same.
        var isTouched = false
        /// The section, where a closure decides about it.
        var sectionName: StoredText?
    }

    /// What came of edits.
    enum Outcome: Sendable {
        /// They are applied.
        case applied(ListDifference)
        /// More rows would be shown than are known; nothing is applied.
        case needsRows
    }

    private(set) var content: ListContent
    /// By part, the rows by their keys.
    private var tables: [RowTable]
    /// Whether all rows are known, and not only the first.
    private let isComplete: Bool
    private let window: ListWindow
    /// How many comparisons of rows keeping the order has taken.
    private(set) var comparisonCount = 0

    /// Lists rows that are in order.
    ///
    /// - Parameter names: The sections of the rows, where a closure decides about them.
    init(
        _ found: ListRows, parts: [ListPart], window: ListWindow, names: [StoredText]?
    ) throws(ListSections.Torn) {
        self.window = window
        isComplete = found.isComplete
        var parts = parts
        for place in parts.indices { parts[place].related = found.related[place] }
        let count = found.rows.count
        var sections = ListSections(count: count)
        if parts[0].section != nil || names != nil {
            sections = try ListSections(
                names: found.rows.indices.lazy.map { index in
                    let (part, row) = found.rows[index]
                    return names?[index] ?? parts[part].sectionName(of: row)
                })
        }
        let shown = window.shown(of: count)
        content = ListContent(
            parts: parts, rows: RowSequence(found.rows.lazy.map(\.row)), sections: sections,
            shown: shown, shownSections: sections.clipped(to: shown))
        tables = parts.map { _ in RowTable(capacity: parts.count == 1 ? count : 0) }
        for (part, row) in found.rows { note(row, of: part) }
    }

    // MARK: - Looking

    /// Where an object is listed; nil when it is not.
    func position(of key: Int64, in part: Int) -> Int? {
        var count = 0
        return position(of: key, in: part, &count)
    }

    private func position(of key: Int64, in part: Int, _ comparisons: inout Int) -> Int? {
        guard let row = tables[part].find(key) else { return nil }
        let own = content.parts[part]
        let keys = own.keys(of: row, in: own.related)
        let position = position(of: keys, from: part, &comparisons)
        let rows = content.rows
        if position < rows.count, rows[position].unsafeWords == row.unsafeWords { return position }
        // No order that is a total one comes here.
        return (0..<rows.count).first { rows[$0].unsafeWords == row.unsafeWords }
    }

    /// The position of the first row that does not come before something.
    private func position(
        of keys: BoundSortKeys, from part: Int, _ comparisons: inout Int
    ) -> Int {
        content.rows.firstPosition { listed in
            comparisons += 1
            return content.order(of: keys, from: part, to: listed) > 0
        }
    }

    private mutating func note(_ row: Row, of part: Int) {
        tables[part].insert(row)
        if tables.count > 1 { content.partOfBlock[ObjectIdentifier(row.storage)] = part }
    }

    // MARK: - Changing

    /// Applies edits, at most one of each object.
    ///
    /// - Parameter related: What the list looks at of other objects from now on, by part.
    /// - Throws: When rows of one section do not stand together. Nothing is applied then.
    /// - Complexity: O(*k* log *n*) comparisons for *k* edits.
    mutating func apply(
        _ edits: [Edit], related: [RelatedRows]
    ) throws(ListSections.Torn) -> Outcome {
        let plan = plan(edits, related)
        let count = content.rows.count - plan.removed.count + plan.inserted.count
        if !isComplete, count < window.end { return .needsRows }
        let positions = plan.removed.map(\.position)
        let (sections, areOthers) = try content.sections.replacing(
            removing: positions, inserting: plan.inserted.map { ($0.place, $0.name) })
        let removedIDs = positions.map { content.id(of: content.rows[$0]) }
        let old = ListComparison.Shown(content)
        commit(plan, positions, edits, related)
        content.sections = sections
        content.shown = window.shown(of: count)
        content.shownSections = sections.clipped(to: content.shown)
        let new = ListComparison.Shown(content)
        return .applied(
            ListComparison(
                old: old, new: new,
                hasOtherSections: areOthers
                    || window.isPart && old.sections.names != new.sections.names,
                removed: positions, removedIDs: removedIDs, places: plan.inserted.map(\.place),
                insertedIDs: plan.inserted.map { content.parts[$0.part].id(of: $0.row) },
                pairs: plan.pairs,
                idAtNewPosition: { [content] in content.id(of: content.rows[$0]) }
            ).difference())
    }

    private mutating func plan(_ edits: [Edit], _ related: [RelatedRows]) -> ListPlan {
        var plan = ListPlan()
        var comparisons = 0
        for (number, edit) in edits.enumerated() {
            let position = self.position(of: edit.key, in: edit.part, &comparisons)
            if let position, let row = edit.row, isSame(edit, row, at: position) {
                plan.replaced.append((position, number))
                continue
            }
            if let position { plan.removed.append((position, number)) }
            guard let row = edit.row else { continue }
            var part = content.parts[edit.part]
            part.related = related[edit.part]
            let keys = part.keys(of: row, in: part.related)
            let place = self.position(of: keys, from: edit.part, &comparisons)
            // Nobody knows what is behind the last row.
            if place == content.rows.count, !isComplete { continue }
            plan.inserted.append(
                ListPlan.Insertion(
                    edit: number, part: edit.part, row: row, keys: keys, place: place,
                    name: edit.sectionName ?? part.sectionName(of: row)))
        }
        comparisonCount += comparisons + plan.sort(by: content.parts[0].order)
        return plan
    }

    private func isSame(_ edit: Edit, _ row: Row, at position: Int) -> Bool {
        if edit.isTouched || !content.parts[edit.part].areEqual(content.rows[position], row) {
            return false
        }
        guard let name = edit.sectionName else { return true }
        return content.sections.names[content.sections.index(of: position)] == name
    }

    private mutating func commit(
        _ plan: ListPlan, _ positions: [Int], _ edits: [Edit], _ related: [RelatedRows]
    ) {
        for (position, number) in plan.replaced {
            guard let row = edits[number].row else { continue }
            content.rows.replace(at: position, with: row)
            note(row, of: edits[number].part)
        }
        for (position, number) in plan.removed {
            tables[edits[number].part].remove(content.rows[position])
        }
        content.rows.replace(
            removing: positions, inserting: plan.inserted.map { ($0.place, $0.row) })
        for place in related.indices { content.parts[place].related = related[place] }
        for insertion in plan.inserted { note(insertion.row, of: insertion.part) }
    }
}
