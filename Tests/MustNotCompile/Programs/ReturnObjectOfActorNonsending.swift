// A function that stays with its caller returns an object of an actor.
// expected: non-Sendable type 'ManagedObjectContext' of property 'c' cannot exit actor-isolated contex|actor-isolated property 'c' cannot be accessed from outside of the actor
// differs: in one statement of several lines

import Duramen

private actor A {
    let c: ManagedObjectContext
    init(_ p: PersistentContainer) { c = p.makeContext() }
    #if TWIN
    func first() async throws -> Quake? { try c.fetch(FetchRequest<Quake>()).first }
    #else
    nonisolated(nonsending) func first() async throws -> Quake? {
        try c.fetch(FetchRequest<Quake>()).first
    }
    #endif
}
