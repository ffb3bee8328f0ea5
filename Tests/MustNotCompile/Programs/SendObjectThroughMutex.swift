// A view-context object is put where any thread can take it.
// expected: 'inout sending' parameter 'box' cannot be main actor-isolated at end of function

import Duramen
import Synchronization

@MainActor
func sendObjectThroughMutex(_ quake: Quake, _ mutex: borrowing Mutex<Box>) {
    let id = quake.objectID
    mutex.withLock { box in
        #if TWIN
        box.id = id
        #else
        box.quake = quake
        #endif
    }
    print(id)
}
