import DuramenModel

/// The sections of a list: their names, in order, and their start positions.
struct ListSections: Sendable {
    /// An error for a section whose rows are not consecutive.
    struct Torn: Error {
        let name: StoredText
    }

    /// Whether the list has sections. Otherwise there is one unnamed section for all rows.
    let isSectioned: Bool
    private(set) var names: ContiguousArray<StoredText> = []
    private var starts = SectionStarts()

    /// Creates the single section of a list without sections.
    init(count: Int) {
        isSectioned = false
        names = [StoredText("")]
        starts.append(count)
    }

    /// Creates sections from the names of the rows, in order.
    init(names rowNames: some Sequence<StoredText>) throws(Torn) {
        isSectioned = true
        for name in rowNames { add(name, 1) }
        try checkNames()
    }

    private init(isSectioned: Bool) { self.isSectioned = isSectioned }

    var count: Int { names.count }
    var rowCount: Int { starts.rowCount }

    func rows(of section: Int) -> Range<Int> { starts.rows(of: section) }

    /// Returns the section of a row.
    func index(of position: Int) -> Int { starts.section(of: position) }

    func path(of position: Int) -> FetchedResultsIndexPath {
        let section = index(of: position)
        return FetchedResultsIndexPath(
            row: position - rows(of: section).lowerBound, section: section)
    }

    /// Returns the sections of a range of rows, with positions from 0.
    func clipped(to range: Range<Int>) -> ListSections {
        if range == 0..<rowCount { return self }
        if !isSectioned { return ListSections(count: range.count) }
        var clipped = ListSections(isSectioned: true)
        if range.isEmpty { return clipped }
        for section in index(of: range.lowerBound)...index(of: range.upperBound - 1) {
            clipped.add(names[section], rows(of: section).clamped(to: range).count)
        }
        return clipped
    }

    /// Returns the sections after rows are removed and inserted.
    ///
    /// - Parameters:
    ///   - removed: The positions of removed rows, ascending.
    ///   - inserted: The inserted rows, in order, each with the position that it is inserted
    ///     before.
    /// - Returns: The sections, and whether they differ from the present ones.
    func replacing(
        removing removed: [Int], inserting inserted: [(offset: Int, name: StoredText)]
    ) throws(Torn) -> (sections: ListSections, areOthers: Bool) {
        if !isSectioned {
            return (ListSections(count: rowCount - removed.count + inserted.count), false)
        }
        if let same = countingAgain(removed, inserted) { return (same, false) }
        var next = ListSections(isSectioned: true)
        var (removed, inserted) = (removed[...], inserted[...])
        for section in names.indices {
            var position = rows(of: section).lowerBound
            let end = rows(of: section).upperBound
            func addRest(to bound: Int) {
                let count = removed.prefix { $0 < bound }.count
                removed = removed.dropFirst(count)
                next.add(names[section], bound - position - count)
                position = bound
            }
            while let first = inserted.first, first.offset < end {
                addRest(to: first.offset)
                next.add(first.name, 1)
                inserted = inserted.dropFirst()
            }
            addRest(to: end)
        }
        for row in inserted { next.add(row.name, 1) }
        try next.checkNames()
        return (next, next.names != names)
    }

    /// Returns the sections if none is added or removed, the frequent case; otherwise nil.
    private func countingAgain(
        _ removed: [Int], _ inserted: [(offset: Int, name: StoredText)]
    ) -> ListSections? {
        if names.isEmpty { return nil }
        var changes: [Int: Int] = [:]
        for position in removed { changes[index(of: position), default: 0] -= 1 }
        var last = 0
        for (offset, name) in inserted {
            let left = index(of: max(0, offset - 1))
            let right = offset < rowCount ? index(of: offset) : left
            let section = names[left] == name ? left : right
            if names[section] != name || section < last { return nil }
            last = section
            changes[section, default: 0] += 1
        }
        guard let starts = starts.adding(changes) else { return nil }
        var next = self
        next.starts = starts
        return next
    }

    private mutating func add(_ name: StoredText, _ count: Int) {
        if count == 0 { return }
        if names.last == name {
            starts.extendLast(by: count)
        } else {
            names.append(name)
            starts.append(count)
        }
    }

    private func checkNames() throws(Torn) {
        var seen: Set<StoredText> = []
        for name in names where !seen.insert(name).inserted { throw Torn(name: name) }
    }
}
