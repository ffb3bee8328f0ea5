public import DuramenModel

/// The kind of change to an object or section of results.
public enum FetchedResultsChangeKind: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// The object or section was added to the results.
    case insert
    /// The object or section was removed from the results.
    case delete
    /// The object moved within its section or to another one. Its values may have changed too.
    case move
    /// The object's values changed, but not its position.
    case update

    /// Deletions first, then insertions, moves and updates.
    public static func < (a: FetchedResultsChangeKind, b: FetchedResultsChangeKind) -> Bool {
        a.rank < b.rank
    }

    private var rank: Int {
        switch self {
        case .delete: 0
        case .insert: 1
        case .move: 2
        case .update: 3
        }
    }
}

/// A change of one object in results.
///
/// Both positions refer to the whole batch of changes: ``indexPath`` is before all of them,
/// ``newIndexPath`` after all. Objects that only shift because of other changes are not reported.
public struct FetchedResultsChange: Sendable, Hashable {
    /// The kind of the change.
    public var kind: FetchedResultsChangeKind
    /// The object's ID. A new object has its permanent ID here, so that its first save changes
    /// nothing.
    public var objectID: ManagedObjectID
    /// The position before all changes; nil for an insertion.
    public var indexPath: FetchedResultsIndexPath?
    /// The position after all changes; nil for a deletion.
    public var newIndexPath: FetchedResultsIndexPath?

    /// Creates a change.
    public init(
        kind: FetchedResultsChangeKind, objectID: ManagedObjectID,
        indexPath: FetchedResultsIndexPath?, newIndexPath: FetchedResultsIndexPath?
    ) {
        self.kind = kind
        self.objectID = objectID
        self.indexPath = indexPath
        self.newIndexPath = newIndexPath
    }
}

/// The insertion or deletion of a section in results.
public struct FetchedResultsSectionChange: Sendable, Hashable {
    /// ``FetchedResultsChangeKind/insert`` or ``FetchedResultsChangeKind/delete``.
    public var kind: FetchedResultsChangeKind
    /// The section's position: after all changes for an insertion, before them for a deletion.
    public var index: Int
    /// The section's name.
    public var name: String

    /// Creates a change.
    public init(kind: FetchedResultsChangeKind, index: Int, name: String) {
        self.kind = kind
        self.index = index
        self.name = name
    }
}

/// The changes of results in one update.
///
/// To update a view, apply them in this order:
/// 1. Remove deleted and moved objects at their old positions, from the last to the first.
/// 2. Remove deleted sections, then insert new sections.
/// 3. Insert new and moved objects at their new positions, from the first to the last.
/// 4. Reload updated objects.
public struct FetchedResultsChanges: Sendable, Hashable {
    /// Deleted sections by their old positions, then inserted sections by their new positions.
    public var sections: [FetchedResultsSectionChange]
    /// The changes of objects, at most one per object.
    public var objects: [FetchedResultsChange]

    /// Creates a list of changes.
    public init(
        sections: [FetchedResultsSectionChange] = [], objects: [FetchedResultsChange] = []
    ) {
        self.sections = sections
        self.objects = objects
    }

    /// Whether nothing changed.
    public var isEmpty: Bool { sections.isEmpty && objects.isEmpty }

    init(_ difference: ListDifference) {
        sections =
            difference.deletedSections.map {
                FetchedResultsSectionChange(kind: .delete, index: $0.index, name: $0.name)
            }
            + difference.insertedSections.map {
                FetchedResultsSectionChange(kind: .insert, index: $0.index, name: $0.name)
            }
        objects = difference.items.map {
            FetchedResultsChange(
                kind: $0.kind, objectID: $0.id, indexPath: $0.old, newIndexPath: $0.new)
        }
    }
}

extension FetchedResultsChanges {
    /// The changes of results without sections, as a difference of the standard library. An object
    /// that was moved, or changed in place, appears as an associated removal and insertion.
    ///
    /// - Returns: Nil if sections changed or a change is outside the first section.
    public var difference: CollectionDifference<ManagedObjectID>? {
        var changes: [CollectionDifference<ManagedObjectID>.Change] = []
        if !sections.isEmpty { return nil }
        for change in objects {
            if let old = change.indexPath, old.section != 0 { return nil }
            if let new = change.newIndexPath, new.section != 0 { return nil }
            let (old, new) = (change.indexPath?.row, change.newIndexPath?.row)
            if let old {
                changes.append(
                    .remove(offset: old, element: change.objectID, associatedWith: new))
            }
            if let new {
                changes.append(
                    .insert(offset: new, element: change.objectID, associatedWith: old))
            }
        }
        return CollectionDifference(changes)
    }
}
