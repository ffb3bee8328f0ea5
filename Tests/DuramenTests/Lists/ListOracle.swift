import Duramen

/// What a view shows that applies every batch of changes to what it showed before.
struct ListOracle: Equatable {
    struct Section: Equatable {
        var name: String
        var rows: [ManagedObjectID]
    }

    /// Why changes cannot be right.
    struct Violation: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    var sections: [Section]

    init(_ sections: [Section]) { self.sections = sections }

    init(_ snapshot: FetchedResultsSnapshot) {
        sections = snapshot.sectionIdentifiers.enumerated().map { number, name in
            Section(name: name, rows: Array(snapshot.itemIdentifiers(inSection: number)))
        }
    }

    /// Applies a batch as views do, and checks it on the way.
    ///
    /// - Parameter names: By new place, what the sections are called that come.
    mutating func apply(_ changes: FetchedResultsChanges) throws {
        let before = sections
        try check(changes, before)
        let leaving = changes.objects.filter { $0.kind == .delete || $0.kind == .move }
            .compactMap(\.indexPath).sorted(by: >)
        for path in leaving { sections[path.section].rows.remove(at: path.row) }
        let gone = changes.sections.filter { $0.kind == .delete }.sorted { $0.index > $1.index }
        for change in gone {
            guard sections[change.index].rows.isEmpty, sections[change.index].name == change.name
            else { throw Violation("section \(change.index) goes with rows, or is another one") }
            sections.remove(at: change.index)
        }
        let new = changes.sections.filter { $0.kind == .insert }.sorted { $0.index < $1.index }
        for change in new {
            guard change.index <= sections.count else { throw Violation("no place for \(change)") }
            sections.insert(Section(name: change.name, rows: []), at: change.index)
        }
        let coming = changes.objects.filter { $0.kind == .insert || $0.kind == .move }
            .sorted { ($0.newIndexPath ?? .none) < ($1.newIndexPath ?? .none) }
        for change in coming {
            let path = change.newIndexPath ?? .none
            guard sections.indices.contains(path.section),
                path.row <= sections[path.section].rows.count
            else { throw Violation("no place for \(change)") }
            sections[path.section].rows.insert(change.objectID, at: path.row)
        }
        for change in changes.objects where change.kind == .update {
            let path = change.newIndexPath ?? .none
            guard sections.indices.contains(path.section),
                sections[path.section].rows.indices.contains(path.row),
                sections[path.section].rows[path.row] == change.objectID
            else { throw Violation("\(change) is elsewhere") }
        }
    }

    private func check(_ changes: FetchedResultsChanges, _ before: [Section]) throws {
        if changes.isEmpty { throw Violation("a batch without a change") }
        var seen: Set<ManagedObjectID> = []
        for change in changes.objects {
            if !seen.insert(change.objectID).inserted {
                throw Violation("two changes of \(change.objectID)")
            }
            let hasOld = change.kind != .insert
            let hasNew = change.kind != .delete
            if (change.indexPath != nil) != hasOld || (change.newIndexPath != nil) != hasNew {
                throw Violation("\(change) has the wrong places")
            }
            if let old = change.indexPath {
                guard before.indices.contains(old.section),
                    before[old.section].rows.indices.contains(old.row),
                    before[old.section].rows[old.row] == change.objectID
                else { throw Violation("\(change) was not there") }
            }
            try checkMove(change, changes)
        }
    }

    /// No move goes to where it came from.
    private func checkMove(_ change: FetchedResultsChange, _ changes: FetchedResultsChanges) throws
    {
        guard change.kind == .move, let old = change.indexPath, let new = change.newIndexPath
        else { return }
        let gone = changes.sections.filter { $0.kind == .delete }.map(\.index)
        let come = changes.sections.filter { $0.kind == .insert }.map(\.index)
        if gone.contains(old.section) || come.contains(new.section) { return }
        let kept = old.section - gone.filter { $0 < old.section }.count
        let place = new.section - come.filter { $0 < new.section }.count
        if kept == place, old.row == new.row { throw Violation("\(change) moves nowhere") }
    }
}

extension FetchedResultsIndexPath {
    fileprivate static let none = FetchedResultsIndexPath(row: -1, section: -1)
}
