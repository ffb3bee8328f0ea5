// An object is returned from a background task.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

func returnObjectFromBackgroundTask(_ container: PersistentContainer) async {
    _ = await container.performBackgroundTask { context in
        let quake = Quake(context: context)
        #if TWIN
        return quake.objectID
        #else
        return quake
        #endif
    }
}
