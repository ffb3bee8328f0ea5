// The objects of a list of the view context are captured in perform.
// expected: passing closure as a 'sending' parameter risks causing data races between main actor-isola

import Duramen

@MainActor private func f(_ c: PersistentContainer, _ b: BackgroundContext) async throws {
    let r = FetchedResultsController(
        fetchRequest: FetchRequest<Quake>().sorted(by: \.time), managedObjectContext: c.viewContext)
    try r.performFetch()
    let (items, count) = (r.fetchedObjects, r.fetchedObjects?.count ?? 0)
    print(items as Any)
    #if TWIN
    await b.perform { _ in print(count) }
    #else
    await b.perform { _ in print(items as Any, count) }
    #endif
}
