// An object is returned from `performAndWait`.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

func returnObjectFromPerformAndWait(_ background: BackgroundContext) {
    _ = background.performAndWait { context in
        let quake = Quake(context: context)
        #if TWIN
        return quake.objectID
        #else
        return quake
        #endif
    }
}
