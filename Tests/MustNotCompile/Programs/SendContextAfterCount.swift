// A context is sent away after the main actor used it: Count.
// expected: sending 'c' risks causing data races

import Duramen

private func use(_ c: sending ManagedObjectContext) {}
@MainActor private func f(_ p: PersistentContainer) throws {
    let c = p.makeContext()
    #if TWIN
    c.transactionAuthor = "before its first use"
    #else
    _ = try c.count(for: FetchRequest<Quake>())
    #endif
    use(c)
}
