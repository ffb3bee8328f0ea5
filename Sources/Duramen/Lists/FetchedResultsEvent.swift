/// An event of a list's results, as a value that can be awaited anywhere; see
/// ``FetchedResultsController/events()``.
public enum FetchedResultsEvent: Sendable {
    /// The results were read from the start.
    case fetched(FetchedResultsSnapshot)
    /// The results changed: what they are now, and how they came to be that.
    case changed(FetchedResultsSnapshot, FetchedResultsChanges)
    /// The results are gone, because the context was reset or lost their store.
    case reset
    /// The results could not be updated. They stay as they were, and are reloaded with the next
    /// change.
    case failed(any Error)
    /// The listener was too slow, so that earlier events were dropped. The next event with a
    /// snapshot has the present results.
    case missed
}
