// An actor fulfils an asynchronous requirement with objects.
// expected: non-Sendable type '\[Quake\]' cannot be returned from actor-isolated implementation to calle

import Duramen

private protocol Repository { func all() async throws -> [Quake] }
private actor Repo {
    let ctx: ManagedObjectContext
    init(_ c: PersistentContainer) { ctx = c.makeContext() }
    func all() throws -> [Quake] { try ctx.fetch(FetchRequest<Quake>()) }
}
#if TWIN
extension Repo {}
#else
extension Repo: Repository {}
#endif
