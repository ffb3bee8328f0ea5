// An object that a generic function found is returned from `perform`.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

func returnFoundObjectFromPerform(_ background: BackgroundContext) async throws {
    _ = try await background.perform { context in
        let quakes = try context.fetch(FetchRequest<Quake>())
        #if TWIN
        return quakes.first { $0.magnitude > 6 }?.objectID
        #else
        return quakes.first { $0.magnitude > 6 }
        #endif
    }
}
