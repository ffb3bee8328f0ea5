// The context is returned from a background task.
// expected: conformance of 'ManagedObjectContext' to 'Sendable' is unavailable

import Duramen

func returnContextFromBackgroundTask(_ container: PersistentContainer) async {
    _ = await container.performBackgroundTask { context in
        #if TWIN
        return context.name
        #else
        return context
        #endif
    }
}
