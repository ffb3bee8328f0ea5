// A view-context object is returned from the main actor.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID

import Duramen

func returnObjectFromMainActorRun(_ container: PersistentContainer) async throws {
    _ = try await MainActor.run {
        let quakes = try container.viewContext.fetch(FetchRequest<Quake>().limit(1))
        #if TWIN
        return quakes.first?.objectID
        #else
        return quakes.first
        #endif
    }
}
