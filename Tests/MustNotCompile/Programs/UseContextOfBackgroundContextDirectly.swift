// A background context is asked for an object without its closure's context.
// expected: value of type 'BackgroundContext' has no member 'existingObject'

import Duramen

func useContextOfBackgroundContextDirectly(
    _ background: BackgroundContext, _ id: ManagedObjectID
) async throws {
    try await background.perform { context in
        #if TWIN
        try context.existingObject(with: id, as: Quake.self).note = "felt"
        #else
        try background.existingObject(with: id, as: Quake.self).note = "felt"
        #endif
    }
}
