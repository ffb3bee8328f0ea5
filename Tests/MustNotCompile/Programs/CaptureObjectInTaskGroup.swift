// View-context objects are handed to the children of a task group.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

@MainActor
func captureObjectInTaskGroup(_ quakes: [Quake]) async {
    await withTaskGroup(of: Void.self) { group in
        for quake in quakes {
            #if TWIN
            group.addTask { [id = quake.objectID] in print(id) }
            #else
            group.addTask { print(quake.magnitude) }
            #endif
        }
    }
}
