// An object is stored in a variable around `perform`.
// expected: sending value of non-Sendable type '.*' risks causing data races

import Duramen

func storeObjectInOuterVariable(_ background: BackgroundContext) async {
    var newest: Quake?
    var newestID: ManagedObjectID?
    await background.perform { context in
        let quake = Quake(context: context)
        #if TWIN
        newestID = quake.objectID
        #else
        newest = quake
        #endif
    }
    print(newest?.code ?? "none", newestID as Any)
}
