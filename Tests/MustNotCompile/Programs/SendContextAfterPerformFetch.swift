// A context is sent away after the main actor used it: PerformFetch.
// expected: sending 'c' risks causing data races
// differs: in one statement of several lines

import Duramen

private func use(_ c: sending ManagedObjectContext) {}
@MainActor private func f(_ p: PersistentContainer) throws {
    let c = p.makeContext()
    #if TWIN
    c.transactionAuthor = "before its first use"
    #else
    try FetchedResultsController(
        fetchRequest: FetchRequest<Quake>().sorted(by: \.time), managedObjectContext: c
    ).performFetch()
    #endif
    use(c)
}
