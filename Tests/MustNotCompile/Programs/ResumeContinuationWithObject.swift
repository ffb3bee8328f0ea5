// A continuation takes an object out of a background context.
// expected: sending value of non-Sendable type '.*' risks causing data races

import Duramen

func resumeContinuationWithObject(_ background: BackgroundContext) async {
    let (quake, id): (Quake?, ManagedObjectID?) = await withCheckedContinuation { continuation in
        background.performAndWait { context in
            let quake = Quake(context: context)
            #if TWIN
            continuation.resume(returning: (nil, quake.objectID))
            #else
            continuation.resume(returning: (quake, nil))
            #endif
        }
    }
    print(quake?.code ?? "none", id as Any)
}
