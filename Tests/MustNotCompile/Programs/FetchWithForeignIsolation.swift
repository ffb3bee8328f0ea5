// An isolation is named that the caller does not have.
// expected: call to main actor-isolated instance method 'fetch\(_:isolation:\)' in a synchronous nonisol

import Duramen

private func f(_ c: PersistentContainer) throws {
    let ctx = c.makeContext()
    #if TWIN
    _ = try ctx.fetch(FetchRequest<Quake>(), isolation: nil)
    #else
    _ = try ctx.fetch(FetchRequest<Quake>(), isolation: MainActor.shared)
    #endif
}
