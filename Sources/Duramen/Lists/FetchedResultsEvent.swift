/// An event of fetched results, as a value that you can await in any isolation. See
/// ``FetchedResultsController/events()``.
public enum FetchedResultsEvent: Sendable {
    /// The results were read from the start.
    case fetched(FetchedResultsSnapshot)
    /// The results changed: what they are now, and how they came to be that.
    case changed(FetchedResultsSnapshot, FetchedResultsChanges)
    /// The results are gone, because the context was reset or lost their store.
    case reset
    /// The results could not be brought up to date. They stay as they were, and are read anew with the next change.
    case failed(any Error)
    /// The listener was so slow that earlier events were dropped: the next one with a snapshot says what the results
    /// are.
    case missed
}
