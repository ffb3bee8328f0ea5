// An object is kept in a static that any thread can read.
// expected: static property 'quake' is not concurrency-safe

import Duramen

private enum Newest {
    #if TWIN
    @MainActor static var quake: Quake?
    #else
    static var quake: Quake?
    #endif
}

@MainActor
func storeObjectInStatic(_ container: PersistentContainer) {
    Newest.quake = Quake(context: container.viewContext)
}
