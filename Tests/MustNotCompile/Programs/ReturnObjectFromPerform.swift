// An object is returned from `perform`.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

func returnObjectFromPerform(_ background: BackgroundContext) async {
    _ = await background.perform { context in
        let quake = Quake(context: context)
        #if TWIN
        return quake.objectID
        #else
        return quake
        #endif
    }
}
