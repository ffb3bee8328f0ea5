import Testing

@testable import Duramen

/// A controller whose delegate is only told that something changed, and whose list is loaded again
/// after a save of others that changes a twelfth of it.
final class ContentFollower<Object: ManagedObject>: FetchedResultsControllerDelegate {
    let controller: FetchedResultsController<Object>
    private(set) var batchCount = 0
    private var checkedCount = 0
    private var shown: ListOracle

    init(_ controller: FetchedResultsController<Object>) throws {
        self.controller = controller
        try controller.performFetch()
        shown = ListOracle(try #require(controller.snapshot))
        controller.delegate = self
        controller.list?.leastForLoading = 1
    }

    /// Compares the results with those of another controller. If they changed, the delegate must
    /// have been notified.
    func check(_ label: String, equals other: FetchedResultsController<Object>) throws {
        let label = Comment(rawValue: label)
        let snapshot = try #require(controller.snapshot)
        let found = ListOracle(snapshot)
        try #require(found == ListOracle(try #require(other.snapshot)), label)
        if found != shown { try #require(batchCount > checkedCount, label) }
        let listed = Set(snapshot.itemIdentifiers)
        try #require(listed.isSuperset(of: snapshot.reloadedItemIdentifiers), label)
        shown = found
        checkedCount = batchCount
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
        batchCount += 1
    }
}
