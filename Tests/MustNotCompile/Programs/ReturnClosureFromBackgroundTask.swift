// A closure that holds an object is returned from a background task.
// expected: type '\(\) -> \(\)' does not conform to the 'Sendable' protocol

import Duramen

func returnClosureFromBackgroundTask(_ container: PersistentContainer) async {
    _ = await container.performBackgroundTask { context in
        let quake = Quake(context: context)
        #if TWIN
        return { @Sendable [id = quake.objectID] in print(id) }
        #else
        return { print(quake.code) }
        #endif
    }
}
