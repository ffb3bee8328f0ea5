public import DuramenModel

/// Receives the changes of results one by one, in the isolation of their context.
///
/// The order of a batch is: will change, the sections that went and came, the objects, did change.
/// Nothing is told when nothing changed. In ``controllerWillChangeContent(_:)`` the controller
/// still has what it had; from then on, it has what it has after the batch. Every requirement has
/// an implementation that does nothing.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    /// The class of the results.
    associatedtype Object: ManagedObject

    /// The results are about to change.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// A section came or went.
    ///
    /// - Parameters:
    ///   - section: The section; without objects when it went.
    ///   - index: Its position after all changes when it came, before them when it went.
    ///   - kind: ``FetchedResultsChangeKind/insert`` or ``FetchedResultsChangeKind/delete``.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, atSectionIndex index: Int,
        for kind: FetchedResultsChangeKind)

    /// Something happened to an object of the results; see ``FetchedResultsChange``.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?)

    /// The results have changed.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

    /// The results are gone, because the context was reset or lost their store. Let go of the
    /// objects, and call ``FetchedResultsController/performFetch(isolation:)`` again.
    func controllerDidReset(_ controller: FetchedResultsController<Object>)

    /// Tells the delegate that the results could not be updated. They stay as they were, and are
    /// reloaded with the next change.
    func controller(
        _ controller: FetchedResultsController<Object>, didFailWith error: any Error)

    /// Returns the title of a section in an index; by default the capitalized first letter of the
    /// section's name.
    func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String?
}

/// Receives a snapshot of the results after each change, and nothing else.
public protocol FetchedResultsSnapshotDelegate<Object>: FetchedResultsControllerDelegate {
    /// The class of the results, inferred from the requirement; `ManagedObject` without it.
    associatedtype Object = ManagedObject

    /// The results have changed.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)
}

/// Receives each change of results without sections as a difference, and nothing else. For results
/// with sections it receives the changes one by one.
public protocol FetchedResultsDifferenceDelegate<Object>: FetchedResultsControllerDelegate {
    /// The class of the results, inferred from the requirement; `ManagedObject` without it.
    associatedtype Object = ManagedObject

    /// Tells the delegate that the results have changed. An object that changed in place appears as
    /// a removal and an insertion that are associated with each other.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>)
}

extension FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}
    public func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, atSectionIndex index: Int,
        for kind: FetchedResultsChangeKind
    ) {}
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {}
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
    public func controllerDidReset(_ controller: FetchedResultsController<Object>) {}
    public func controller(
        _ controller: FetchedResultsController<Object>, didFailWith error: any Error
    ) {}
    public func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String? {
        FetchedResultsController<Object>.defaultIndexTitle(of: name)
    }
}
