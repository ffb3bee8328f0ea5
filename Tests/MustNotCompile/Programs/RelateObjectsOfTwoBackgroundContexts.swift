// An object of one background context is changed on the queue of another one.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

func relateObjectsOfTwoBackgroundContexts(
    _ background: BackgroundContext, _ other: BackgroundContext
) async {
    await background.perform { context in
        let quake = Quake(context: context)
        let id = quake.objectID
        other.performAndWait { context in
            #if TWIN
            print(context.object(with: id))
            #else
            quake.region = Region(context: context)
            #endif
        }
    }
}
