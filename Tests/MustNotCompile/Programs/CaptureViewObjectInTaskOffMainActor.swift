// A task that leaves the main actor reads a view-context object.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

actor Alarm {
    func ring(_ container: PersistentContainer) {}

    @MainActor
    func watch(_ quake: Quake) {
        let id = quake.objectID
        Task { @concurrent in
            #if TWIN
            print(id)
            #else
            print(quake.magnitude)
            #endif
        }
    }
}
