// A view-context object is deleted in a background context.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

@MainActor
func captureViewObjectInPerform(_ container: PersistentContainer) async throws {
    let quake = Quake(context: container.viewContext)
    let id = quake.objectID
    let background = container.newBackgroundContext()
    await background.perform { context in
        #if TWIN
        context.delete(context.object(with: id))
        #else
        context.delete(quake)
        #endif
    }
}
