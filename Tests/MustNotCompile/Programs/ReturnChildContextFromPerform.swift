// A child of a background context is returned from `perform`.
// expected: conformance of 'ManagedObjectContext' to 'Sendable' is unavailable

import Duramen

func returnChildContextFromPerform(_ background: BackgroundContext) async {
    _ = await background.perform { context in
        let child = ManagedObjectContext(parent: context)
        #if TWIN
        return child.name
        #else
        return child
        #endif
    }
}
