public import DuramenModel

/// The kind of a change of an object of the results, or of a section.
public enum FetchedResultsChangeKind: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// It belongs to the results now.
    case insert
    /// It does not belong to the results any more.
    case delete
    /// The object moved within its section or to another one. Its values may have changed too.
    case move
    /// The object's values changed, and its position did not.
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

/// A change of one object of the results.
///
/// Both positions count all changes of its batch: ``indexPath`` is where the object was before any
/// of them, ``newIndexPath`` where it is after all. Objects that only make room for others are not
/// told of.
public struct FetchedResultsChange: Sendable, Hashable {
    /// The kind of the change.
    public var kind: FetchedResultsChangeKind
    /// The object's ID. For a new object it is the permanent ID, so that its first save changes
    /// nothing.
    public var objectID: ManagedObjectID
    /// Where it was; nil for an insertion.
    public var indexPath: FetchedResultsIndexPath?
    /// Where it is; nil for a deletion.
    public var newIndexPath: FetchedResultsIndexPath?

    /// Describes a change.
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

/// A section that came or went.
public struct FetchedResultsSectionChange: Sendable, Hashable {
    /// ``FetchedResultsChangeKind/insert`` or ``FetchedResultsChangeKind/delete``.
    public var kind: FetchedResultsChangeKind
    /// The section's position: after all changes for one that came, before them for one that went.
    public var index: Int
    /// The section's name.
    public var name: String

    /// Describes a change.
    public init(kind: FetchedResultsChangeKind, index: Int, name: String) {
        self.kind = kind
        self.index = index
        self.name = name
    }
}

/// The changes of results at one time.
///
/// Applied to what was shown, in this order, it gives what is to be shown: take out what was
/// deleted and what moved away, by the old positions from the last to the first; take out sections,
/// put in sections; put in what was inserted and what moved here, by the new positions from the
/// first to the last; show what was updated anew.
public struct FetchedResultsChanges: Sendable, Hashable {
    /// Sections that went, by their old positions, then those that came, by their new positions.
    public var sections: [FetchedResultsSectionChange]
    /// The changes of objects, at most one for each object.
    public var objects: [FetchedResultsChange]

    /// Lists changes.
    public init(
        sections: [FetchedResultsSectionChange] = [], objects: [FetchedResultsChange] = []
    ) {
        self.sections = sections
        self.objects = objects
    }

    /// Whether nothing happened.
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
    /// The changes of results without sections as a difference of the standard library. An object
    /// that was moved or changed in place appears as a removal and an insertion that are associated
    /// with each other.
    ///
    /// - Returns: Nil when there is a section other than the first.
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
