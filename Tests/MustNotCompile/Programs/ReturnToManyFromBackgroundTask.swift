// A to-many is returned from a background task.
// expected: conformance of 'ToMany<Element>' to 'Sendable' is unavailable: .*pass objectIDs

import Duramen

func returnToManyFromBackgroundTask(_ container: PersistentContainer) async {
    _ = await container.performBackgroundTask { context in
        let region = Region(context: context)
        #if TWIN
        return region.quakes.objectIDs
        #else
        return region.quakes
        #endif
    }
}
