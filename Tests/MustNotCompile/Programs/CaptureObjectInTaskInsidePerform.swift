// A task takes an object out of `perform`.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

func captureObjectInTaskInsidePerform(_ background: BackgroundContext) async {
    await background.perform { context in
        let quake = Quake(context: context)
        let id = quake.objectID
        #if TWIN
        Task { print(id) }
        #else
        Task { print(quake.code, id) }
        #endif
    }
}
