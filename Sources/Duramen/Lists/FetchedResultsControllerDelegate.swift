public import DuramenModel

/// A delegate that is notified of changes of results one by one, in the isolation of their context.
///
/// The order of a batch is: will change, deleted and inserted sections, objects, did change.
/// Without changes there are no calls. In ``controllerWillChangeContent(_:)`` the controller still
/// has the old results; afterwards it has the new ones. Every requirement has a default
/// implementation that does nothing. A delegate without the methods for single objects and sections
/// costs less when much changes at once, because nothing computes what they would receive.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    /// The class of the results.
    associatedtype Object: ManagedObject

    /// Tells the delegate that the results are about to change.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// Tells the delegate that a section was inserted or deleted.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - section: The section; without objects if it was deleted.
    ///   - index: Its position: after all changes for an insertion, before them for a deletion.
    ///   - kind: ``FetchedResultsChangeKind/insert`` or ``FetchedResultsChangeKind/delete``.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, atSectionIndex index: Int,
        for kind: FetchedResultsChangeKind)

    /// Tells the delegate that an object of the results changed; see ``FetchedResultsChange``.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?)

    /// Tells the delegate that the results have changed.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

    /// Tells the delegate that the results are gone, because the context was reset or lost their
    /// store. Release the objects and call ``FetchedResultsController/performFetch(isolation:)``
    /// again.
    func controllerDidReset(_ controller: FetchedResultsController<Object>)

    /// Tells the delegate that the results could not be updated. They are unchanged, and are
    /// fetched again at the next change.
    func controller(
        _ controller: FetchedResultsController<Object>, didFailWith error: any Error)

    /// Returns the title of a section in an index; by default the capitalized first letter of the
    /// section's name.
    func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String?
}

/// A delegate that receives a snapshot of the results after each change, and nothing else.
public protocol FetchedResultsSnapshotDelegate<Object>: FetchedResultsControllerDelegate {
    /// The class of the results, inferred from the requirement; `ManagedObject` without it.
    associatedtype Object = ManagedObject

    /// Tells the delegate that the results have changed.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)
}

/// A delegate that receives each change of results without sections as a difference. For results
/// with sections it receives the changes one by one.
public protocol FetchedResultsDifferenceDelegate<Object>: FetchedResultsControllerDelegate {
    /// The class of the results, inferred from the requirement; `ManagedObject` without it.
    associatedtype Object = ManagedObject

    /// Tells the delegate that the results have changed. An object that changed in place appears as
    /// an associated removal and insertion.
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
    ) {
        controller.ignoreChanges(.section, of: self)
    }
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {
        controller.ignoreChanges(.object, of: self)
    }
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

/// The kinds of changes that a delegate receives one by one.
struct SingleChanges: OptionSet {
    let rawValue: Int

    static let section = SingleChanges(rawValue: 1)
    static let object = SingleChanges(rawValue: 2)
}
