// The view context is used synchronously in an asynchronous function of the main actor, without
// `await`.

import Duramen

@MainActor
func newestQuakes(in container: PersistentContainer) async throws -> [String] {
    let request = FetchRequest<Quake>().sorted(by: \.time, .descending).limit(10)
    let quakes = try container.viewContext.fetch(request)
    for quake in quakes where quake.note == nil { quake.note = quake.region?.name }
    try container.viewContext.save()
    let felt = await container.performBackgroundTask { context in context.name ?? "unnamed" }
    return quakes.map(\.code) + [felt]
}
