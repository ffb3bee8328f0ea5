// An array of objects is returned from `perform`.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

func returnArrayFromPerform(_ background: BackgroundContext) async throws {
    _ = try await background.perform { context in
        let quakes = try context.fetch(FetchRequest<Quake>())
        #if TWIN
        return quakes.map(\.objectID)
        #else
        return quakes
        #endif
    }
}
