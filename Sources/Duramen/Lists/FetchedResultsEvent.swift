/// An event of results, as a sendable value; see ``FetchedResultsController/events()``.
public enum FetchedResultsEvent: Sendable {
    /// The results were fetched.
    case fetched(FetchedResultsSnapshot)
    /// The results changed: the new results and the changes.
    case changed(FetchedResultsSnapshot, FetchedResultsChanges)
    /// The results are gone, because the context was reset or lost their store.
    case reset
    /// The results could not be updated. They are unchanged, and are fetched again at the next
    /// change.
    case failed(any Error)
    /// The listener was too slow, so that earlier events were dropped. The next event with a
    /// snapshot has the present results.
    case missed
}
