// A view-context object is sent through a stream.
// expected: sending '\w+' risks causing data races

import Duramen

@MainActor
func sendObjectThroughAsyncStream(_ quake: Quake) {
    #if TWIN
    AsyncStream<ManagedObjectID>.makeStream().continuation.yield(quake.objectID)
    #else
    AsyncStream<Quake>.makeStream().continuation.yield(quake)
    #endif
}
