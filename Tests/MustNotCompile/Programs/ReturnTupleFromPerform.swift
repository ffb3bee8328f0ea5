// A tuple with an object in it is returned from `perform`.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

func returnTupleFromPerform(_ background: BackgroundContext) async {
    _ = await background.perform { context in
        let quake = Quake(context: context)
        #if TWIN
        return (quake.code, quake.objectID)
        #else
        return (quake.code, quake)
        #endif
    }
}
