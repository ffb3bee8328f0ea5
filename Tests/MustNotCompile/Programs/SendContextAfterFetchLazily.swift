// A context is sent away after the main actor used it: FetchLazily.
// expected: sending 'c' risks causing data races

import Duramen

private func use(_ c: sending ManagedObjectContext) {}
@MainActor private func f(_ p: PersistentContainer) throws {
    let c = p.makeContext()
    #if TWIN
    c.transactionAuthor = "before its first use"
    #else
    _ = try c.fetchLazily(FetchRequest<Quake>().batches(of: 2)).count
    #endif
    use(c)
}
