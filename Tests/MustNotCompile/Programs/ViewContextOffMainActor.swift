// The view context is used by a function of no actor.
// expected: main actor-isolated (context|property)

import Duramen

#if TWIN
@MainActor
#endif
func viewContextOffMainActor(_ container: PersistentContainer) async throws {
    print(try container.viewContext.fetch(FetchRequest<Quake>()).count)
}
