// A context is sent away after the main actor fetched with it.
// expected: passing closure as a 'sending' parameter risks causing data races between main actor-isola

import Duramen

@MainActor private func f(_ p: PersistentContainer) throws {
    let c = p.makeContext()
    #if TWIN
    c.transactionAuthor = "before its first use"
    #else
    _ = try c.fetch(FetchRequest<Quake>())
    #endif
    Task.detached {
        for q in try c.fetch(FetchRequest<Quake>()) { q.note = "x" }; try c.save()
    }
}
