// The context is returned from `perform`.
// expected: conformance of 'ManagedObjectContext' to 'Sendable' is unavailable

import Duramen

func returnContextFromPerform(_ background: BackgroundContext) async {
    _ = await background.perform { context in
        #if TWIN
        return context.name
        #else
        return context
        #endif
    }
}
