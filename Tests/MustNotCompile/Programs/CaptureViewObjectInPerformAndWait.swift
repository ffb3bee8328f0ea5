// A view-context object is deleted in a background context that is waited for.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

@MainActor
func captureViewObjectInPerformAndWait(_ container: PersistentContainer, quake: Quake) {
    let id = quake.objectID
    container.newBackgroundContext().performAndWait { context in
        #if TWIN
        context.delete(context.object(with: id))
        #else
        context.delete(quake)
        #endif
    }
}
