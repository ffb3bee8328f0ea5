// A view-context object is read on a queue that is not its own.
// expected: capture of 'quake' with non-Sendable type 'Quake' in a '@Sendable' closure

import Dispatch
import Duramen

@MainActor
func captureViewObjectInDispatchQueue(_ quake: Quake) {
    let id = quake.objectID
    DispatchQueue.global().async {
        #if TWIN
        print(id)
        #else
        print(quake.magnitude)
        #endif
    }
}
