// An undo manager is used after its context was sent.
// expected: sending 'ctx' risks causing data races
// differs: in one statement of several lines

import Duramen

private func use(_ c: sending ManagedObjectContext) async {}
private func f(_ c: PersistentContainer) async throws {
    let ctx = c.makeContext()
    let u = ContextUndoManager()
    ctx.undoManager = u
    #if TWIN
    #else
    await use(ctx);
    #endif
    try u.undo()
}
