// A tuple with an object in it is returned from a background task.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

func returnTupleFromBackgroundTask(_ container: PersistentContainer) async {
    _ = await container.performBackgroundTask { context in
        let quake = Quake(context: context)
        #if TWIN
        return (quake.code, quake.objectID)
        #else
        return (quake.code, quake)
        #endif
    }
}
