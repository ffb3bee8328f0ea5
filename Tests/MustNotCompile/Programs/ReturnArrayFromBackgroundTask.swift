// An array of objects is returned from a background task.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

func returnArrayFromBackgroundTask(_ container: PersistentContainer) async throws {
    _ = try await container.performBackgroundTask { context in
        let quakes = try context.fetch(FetchRequest<Quake>())
        #if TWIN
        return quakes.map(\.objectID)
        #else
        return quakes
        #endif
    }
}
