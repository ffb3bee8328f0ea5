// A task that an actor's initialiser starts takes the context along.
// expected: passing closure as a 'sending' parameter risks causing data races between 'self'-isolated

import Duramen

private actor A {
    let c: ManagedObjectContext;
    init(_ p: PersistentContainer) {
        let ctx = p.makeContext()
        c = ctx
        #if TWIN
        try? ctx.save(isolation: nil)
        #else
        Task { try ctx.save() }
        #endif
    }
}
