// A context is sent away after the main actor used it: ExecuteBatch.
// expected: sending 'c' risks causing data races

import Duramen

private func use(_ c: sending ManagedObjectContext) {}
@MainActor private func f(_ p: PersistentContainer) throws {
    let c = p.makeContext()
    #if TWIN
    c.transactionAuthor = "before its first use"
    #else
    _ = try c.execute(BatchDeleteRequest(FetchRequest<Quake>()))
    #endif
    use(c)
}
