// After background work, the view context is used where that work was awaited.
// expected: main actor-isolated (context|property)

import Duramen

#if TWIN
@MainActor
#endif
func viewContextAfterBackgroundTask(_ container: PersistentContainer) async throws {
    let ids = try await container.performBackgroundTask { context in
        try context.fetchObjectIDs(FetchRequest<Quake>().sorted(by: \.time))
    }
    for id in ids { print(try container.viewContext.existingObject(with: id)) }
}
