// The same with an enumeration, from a background task to the main actor.
// warns: associated value 'invalid' of 'Sendable'-conforming enum 'ImportError' has non-Sendable type
// stops: was used after its context

import Duramen
import Foundation

private enum ImportError: LocalizedError { case invalid(Quake) }

@MainActor func gapErrorEnumerationCarriesObject(_ world: World) async throws {
    do {
        try await world.container.performBackgroundTask { context in
            throw ImportError.invalid(try context.anyQuake())
        }
    } catch {
        // The context of the task has ended, and so the object has none.
        if case ImportError.invalid(let quake)? = error as? ImportError { quake.note = "outside" }
    }
}
