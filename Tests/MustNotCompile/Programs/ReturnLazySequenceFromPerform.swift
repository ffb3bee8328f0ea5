// A lazily mapped sequence of objects is returned from `perform`.
// expected: conformance of 'LazyMapSequence<.*>' to 'Sendable' is unavailable

import Duramen

func returnLazySequenceFromPerform(_ background: BackgroundContext) async throws {
    _ = try await background.perform { context in
        let quakes = try context.fetch(FetchRequest<Quake>())
        #if TWIN
        return Array(quakes.lazy.map(\.magnitude))
        #else
        return quakes.lazy.map(\.magnitude)
        #endif
    }
}
