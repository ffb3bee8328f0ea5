public import DuramenModel

/// A delegate that receives the changes of results one by one, in the isolation of their context.
///
/// The order of a batch is: will change, the sections that went and came, the objects, did change. Nothing is told
/// when nothing changed. In ``controllerWillChangeContent(_:)`` the controller still has what it had; from then on, it
/// has what it has after the batch. Every requirement has an implementation that does nothing.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    /// The class of the results.
    associatedtype Object: ManagedObject

    /// The results are about to change.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// A section came or went.
    ///
    /// - Parameters:
    ///   - section: The section; without objects when it went.
    ///   - index: Its place after all changes when it came, before them when it went.
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

    /// The results are gone, because the context was reset or lost their store. Let go of the objects, and call
    /// ``FetchedResultsController/performFetch(isolation:)`` again.
    func controllerDidReset(_ controller: FetchedResultsController<Object>)

    /// The results could not be brought up to date. They stay as they were, and are read anew with the next change.
    func controller(
        _ controller: FetchedResultsController<Object>, didFailWith error: any Error)

    /// What an index of the sections calls one; by default the first letter of its name, as a capital.
    func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String?
}

/// Is given what the results are after each change, and nothing else of it.
public protocol FetchedResultsSnapshotDelegate<Object>: FetchedResultsControllerDelegate {
    /// The results have changed.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)
}

/// A delegate that receives each change of results without sections as a difference, and no other
/// call for it. For results with sections, it receives the changes one by one.
public protocol FetchedResultsDifferenceDelegate<Object>: FetchedResultsControllerDelegate {
    /// The results have changed. What changed in place is a removal and an insertion that know of each other.
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
