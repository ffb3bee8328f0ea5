// An object of a background context is shown on the main queue.
// expected: sending '\w+' risks causing data races

import Dispatch
import Duramen

func handObjectToMainQueueInPerform(_ background: BackgroundContext) async {
    await background.perform { context in
        let quake = Quake(context: context)
        let id = quake.objectID
        #if TWIN
        DispatchQueue.main.async { print(id) }
        #else
        DispatchQueue.main.async { print(quake.code, id) }
        #endif
    }
}
