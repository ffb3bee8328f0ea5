// A lazily mapped sequence of objects is returned from a background task.
// expected: conformance of 'LazyMapSequence<.*>' to 'Sendable' is unavailable

import Duramen

func returnLazySequenceFromBackgroundTask(_ container: PersistentContainer) async throws {
    _ = try await container.performBackgroundTask { context in
        let quakes = try context.fetch(FetchRequest<Quake>())
        #if TWIN
        return Array(quakes.lazy.map(\.magnitude))
        #else
        return quakes.lazy.map(\.magnitude)
        #endif
    }
}
