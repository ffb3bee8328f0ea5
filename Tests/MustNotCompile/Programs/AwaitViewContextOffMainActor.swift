// Waiting for the view context does not bring it off the main actor.
// expected: main actor-isolated (context|property)

import Duramen

func awaitViewContextOffMainActor(_ container: PersistentContainer) async throws {
    #if TWIN
    print(try await MainActor.run { try container.viewContext.fetch(FetchRequest<Quake>()).count })
    #else
    print(try await container.viewContext.fetch(FetchRequest<Quake>()).count)
    #endif
}
