// An object is put into a box that is opened outside of `perform`.
// expected: sending value of non-Sendable type '.*' risks causing data races

import Duramen

func storeObjectInBox(_ background: BackgroundContext) async {
    let box = Box()
    await background.perform { context in
        box.quake = Quake(context: context)
    }
    #if TWIN
    print("done")
    #else
    print(box.quake?.code ?? "none")
    #endif
}
