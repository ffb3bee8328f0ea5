// `perform` stores an object in a static of the main actor.
// expected: main actor-isolated .*'quakes?' can not be mutated from a nonisolated context

import Duramen

@MainActor private enum Latest {
    static var quake: Quake?
}

func storeObjectInMainActorStatic(_ background: BackgroundContext) async {
    await background.perform { context in
        let quake = Quake(context: context)
        #if TWIN
        print(quake.objectID)
        #else
        Latest.quake = quake
        #endif
    }
}
