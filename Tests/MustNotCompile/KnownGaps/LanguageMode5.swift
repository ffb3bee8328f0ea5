// In the language mode of Swift 5 an object of the main actor is used in a detached task.
// stops: was used outside of
// flags: -swift-version 5

import Duramen

@MainActor func gapLanguageMode5(_ world: World) async throws {
    let quake = try world.container.viewContext.anyQuake()
    await Task.detached { quake.note = "outside" }.value
}
