import DuramenModel

/// The difference between two states of a list, in the coordinates that views need.
struct ListDifference: Sendable {
    struct Item: Sendable {
        var kind: FetchedResultsChangeKind
        var id: ManagedObjectID
        /// The position before all changes; nil for an insertion.
        var old: FetchedResultsIndexPath?
        /// The position after all changes; nil for a deletion.
        var new: FetchedResultsIndexPath?
    }

    struct Section: Sendable {
        var index: Int
        var name: String
    }

    /// The deleted sections by their old indices, ascending.
    var deletedSections: [Section] = []
    /// The inserted sections by their new indices, ascending.
    var insertedSections: [Section] = []
    var items: [Item] = []

    var isEmpty: Bool { items.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty }
}

/// Computes a ``ListDifference``.
///
/// Rows that were neither removed nor inserted are *survivors* and keep their order. A row that was
/// both is an update if it keeps its position among the survivors, and a move otherwise. If its
/// index path is unchanged it is always an update, so that no move has equal positions. The
/// survivors that it passed are then moves.
struct ListComparison {
    /// The shown range of a list, before or after the change.
    struct Shown {
        var range: Range<Int>
        /// The sections, with positions from 0 at the start of the range.
        var sections: ListSections

        init(range: Range<Int>, sections: ListSections) {
            self.range = range
            self.sections = sections
        }

        init(_ content: ListContent) {
            range = content.shown
            sections = content.shownSections
        }

        func path(of position: Int) -> FetchedResultsIndexPath {
            sections.path(of: position - range.lowerBound)
        }
    }

    /// An object that was both removed and inserted, by its indices in both lists.
    struct Pair {
        var removed: Int
        var inserted: Int
        fileprivate var oldPath = FetchedResultsIndexPath(row: 0, section: 0)
        fileprivate var newPath = FetchedResultsIndexPath(row: 0, section: 0)

        init(removed: Int, inserted: Int) {
            self.removed = removed
            self.inserted = inserted
        }
    }

    let old: Shown
    let new: Shown
    /// Whether the sections differ.
    let hasOtherSections: Bool
    /// The positions of removed rows, ascending.
    let removed: [Int]
    let removedIDs: [ManagedObjectID]
    /// The old positions before which rows are inserted, in order.
    let offsets: [Int]
    let insertedIDs: [ManagedObjectID]
    let pairs: [Pair]
    let idAtOldPosition: (Int) -> ManagedObjectID

    /// Returns the number of survivors before an old position.
    private func survivors(beforeOld position: Int) -> Int {
        position - removed.partitionPoint { $0 < position }
    }

    /// Returns the number of survivors before a removed row.
    private func survivors(beforeRemoved number: Int) -> Int { removed[number] - number }

    /// Returns the number of survivors before an inserted row.
    private func survivors(beforeInserted number: Int) -> Int {
        survivors(beforeOld: offsets[number])
    }

    private func newPosition(ofInserted number: Int) -> Int {
        survivors(beforeInserted: number) + number
    }

    private func oldPosition(ofSurvivor number: Int) -> Int {
        // Removed positions minus their indices never decrease.
        var (low, high) = (0, removed.count)
        while low < high {
            let middle = (low + high) / 2
            if removed[middle] - middle <= number { low = middle + 1 } else { high = middle }
        }
        return number + low
    }

    private func newPosition(ofSurvivor number: Int) -> Int {
        var (low, high) = (0, offsets.count)
        while low < high {
            let middle = (low + high) / 2
            if survivors(beforeInserted: middle) <= number {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return number + low
    }

    private func id(ofSurvivor number: Int) -> ManagedObjectID {
        idAtOldPosition(oldPosition(ofSurvivor: number))
    }

    /// The survivors that were shown before.
    private var survivorsShownBefore: Range<Int> {
        survivors(beforeOld: old.range.lowerBound)..<survivors(beforeOld: old.range.upperBound)
    }

    /// The survivors that are shown after.
    private var survivorsShownAfter: Range<Int> {
        func survivors(before position: Int) -> Int {
            let numbers = (0..<offsets.count)
            return position
                - numbers.partitionPoint { newPosition(ofInserted: $0) < position }
        }
        return survivors(before: new.range.lowerBound)..<survivors(before: new.range.upperBound)
    }

    func difference() -> ListDifference {
        var difference = ListDifference()
        let stays = matchSections(&difference)
        var isPaired = (
            removed: [Bool](repeating: false, count: removed.count),
            inserted: [Bool](repeating: false, count: offsets.count)
        )
        var changed: [Pair] = []
        for pair in pairs {
            let wasShown = old.range.contains(removed[pair.removed])
            let isShown = new.range.contains(newPosition(ofInserted: pair.inserted))
            if wasShown, isShown {
                var pair = pair
                pair.oldPath = old.path(of: removed[pair.removed])
                pair.newPath = new.path(of: newPosition(ofInserted: pair.inserted))
                changed.append(pair)
                isPaired.removed[pair.removed] = true
                isPaired.inserted[pair.inserted] = true
            }
        }
        for (number, position) in removed.enumerated()
        where !isPaired.removed[number] && old.range.contains(position) {
            difference.add(.delete, removedIDs[number], old.path(of: position), nil)
        }
        for number in offsets.indices where !isPaired.inserted[number] {
            let position = newPosition(ofInserted: number)
            if new.range.contains(position) {
                difference.add(.insert, insertedIDs[number], nil, new.path(of: position))
            }
        }
        addSurvivorsAtTheEdges(&difference)
        addChanged(changed, stays, &difference)
        difference.items.sort { a, b in
            if a.kind != b.kind { return a.kind < b.kind }
            if let first = a.new, let second = b.new { return first < second }
            if let first = a.old, let second = b.old { return first < second }
            return false
        }
        return difference
    }

    /// Adds survivors that enter or leave the shown range.
    private func addSurvivorsAtTheEdges(_ difference: inout ListDifference) {
        let (before, after) = (survivorsShownBefore, survivorsShownAfter)
        for survivor in before.without(after) {
            difference.add(
                .delete, id(ofSurvivor: survivor),
                old.path(of: oldPosition(ofSurvivor: survivor)), nil)
        }
        for survivor in after.without(before) {
            difference.add(
                .insert, id(ofSurvivor: survivor), nil,
                new.path(of: newPosition(ofSurvivor: survivor)))
        }
    }

    /// Adds objects that were removed and inserted, and are shown before and after.
    ///
    /// - Parameters:
    ///   - pairs: The objects.
    ///   - stays: The new section of each old one, nil for a deleted one; nil if no section
    ///     changed.
    ///   - difference: Gets the changes.
    private func addChanged(
        _ pairs: [Pair], _ stays: [Int?]?, _ difference: inout ListDifference
    ) {
        var candidates: [(pair: Pair, isFixed: Bool)] = []
        var passed: Set<Int> = []
        let shown = survivorsShownBefore.clamped(to: survivorsShownAfter)
        for pair in pairs.sorted(by: { $0.inserted < $1.inserted }) {
            let section = stays == nil ? pair.oldPath.section : stays?[pair.oldPath.section]
            let before = survivors(beforeRemoved: pair.removed)
            let after = survivors(beforeInserted: pair.inserted)
            let isFixed = section == pair.newPath.section && pair.oldPath.row == pair.newPath.row
            if isFixed {
                passed.formUnion((min(before, after)..<max(before, after)).clamped(to: shown))
            }
            if isFixed || section == pair.newPath.section && before == after {
                candidates.append((pair, isFixed))
            } else {
                difference.add(.move, removedIDs[pair.removed], pair.oldPath, pair.newPath)
            }
        }
        let isKept = candidates.map(\.pair.removed).longestIncreasing { candidates[$0].isFixed }
        for (candidate, isKept) in zip(candidates, isKept) {
            let pair = candidate.pair
            difference.add(
                isKept ? .update : .move, removedIDs[pair.removed], pair.oldPath, pair.newPath)
        }
        for survivor in passed {
            difference.add(
                .move, id(ofSurvivor: survivor), old.path(of: oldPosition(ofSurvivor: survivor)),
                new.path(of: newPosition(ofSurvivor: survivor)))
        }
    }

    /// Finds the deleted and inserted sections.
    ///
    /// - Returns: The new section of each old one, nil for a deleted one; nil if no section
    ///   changed.
    private func matchSections(_ difference: inout ListDifference) -> [Int?]? {
        if !hasOtherSections { return nil }
        var olds: [StoredText: Int] = [:]
        for (index, name) in old.sections.names.enumerated() { olds[name] = index }
        var common: [(old: Int, new: Int)] = []
        for (index, name) in new.sections.names.enumerated() {
            if let old = olds[name] { common.append((old, index)) }
        }
        let shown = survivorsShownBefore.clamped(to: survivorsShownAfter)
        let isKept = common.map(\.old).longestIncreasing { number in
            // A section with survivors has not moved, because survivors keep their order.
            let rows = old.sections.rows(of: common[number].old)
            let first = survivors(beforeOld: rows.lowerBound + old.range.lowerBound)
            let end = survivors(beforeOld: rows.upperBound + old.range.lowerBound)
            return !(first..<end).clamped(to: shown).isEmpty
        }
        var stays = [Int?](repeating: nil, count: old.sections.count)
        var isNew = [Bool](repeating: true, count: new.sections.count)
        for (pair, isKept) in zip(common, isKept) where isKept {
            stays[pair.old] = pair.new
            isNew[pair.new] = false
        }
        for (index, section) in stays.enumerated() where section == nil {
            difference.deletedSections.append(
                .init(index: index, name: old.sections.names[index].string))
        }
        for (index, isNew) in isNew.enumerated() where isNew {
            difference.insertedSections.append(
                .init(index: index, name: new.sections.names[index].string))
        }
        return stays
    }
}

extension ListDifference {
    fileprivate mutating func add(
        _ kind: FetchedResultsChangeKind, _ id: ManagedObjectID, _ old: FetchedResultsIndexPath?,
        _ new: FetchedResultsIndexPath?
    ) {
        items.append(Item(kind: kind, id: id, old: old, new: new))
    }
}

extension Range where Bound == Int {
    /// Returns the numbers in this range that are not in another one.
    fileprivate func without(_ other: Range<Int>) -> [Int] {
        Array(lowerBound..<Swift.max(lowerBound, Swift.min(upperBound, other.lowerBound)))
            + Array(Swift.min(upperBound, Swift.max(lowerBound, other.upperBound))..<upperBound)
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the number of leading elements that meet a condition, which no later element meets.
    func partitionPoint(_ holds: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low - startIndex
    }
}

extension Array where Element == Int {
    /// Marks the elements of a longest increasing subsequence.
    ///
    /// - Parameter isFixed: Whether the element at a position must be included; such elements must
    ///   increase.
    /// - Complexity: O(*n* log *n*).
    func longestIncreasing(_ isFixed: (Int) -> Bool) -> [Bool] {
        var isKept = [Bool](repeating: false, count: count)
        let fixed = indices.filter(isFixed)
        for position in fixed { isKept[position] = true }
        let bounds = [(-1, Int.min)] + fixed.map { ($0, self[$0]) } + [(count, Int.max)]
        for (first, last) in zip(bounds, bounds.dropFirst()) {
            let between = ((first.0 + 1)..<last.0).filter {
                self[$0] > first.1 && self[$0] < last.1
            }
            for position in ascending(between) { isKept[position] = true }
        }
        return isKept
    }

    /// Returns a longest increasing subsequence of the elements at some positions, by patience
    /// sorting.
    private func ascending(_ positions: [Int]) -> [Int] {
        // By length, the position of the smallest element that ends such a subsequence.
        var ends: [Int] = []
        var previous: [Int: Int] = [:]
        for position in positions {
            let length = ends.partitionPoint { self[$0] < self[position] }
            if length > 0 { previous[position] = ends[length - 1] }
            if length == ends.count { ends.append(position) } else { ends[length] = position }
        }
        var part: [Int] = []
        var next = ends.last
        while let position = next {
            part.append(position)
            next = previous[position]
        }
        return part
    }
}
