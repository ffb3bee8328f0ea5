// A view-context object is read in a background task.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

@MainActor
func captureViewObjectInBackgroundTask(_ container: PersistentContainer, quake: Quake) async {
    let id = quake.objectID
    await container.performBackgroundTask { context in
        #if TWIN
        print(context.object(with: id))
        #else
        print(quake, id)
        #endif
    }
}
