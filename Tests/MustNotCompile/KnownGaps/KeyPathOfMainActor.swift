// The same from the main actor to a detached task.
// stops: was used outside of

import Duramen

private struct Holder: Sendable { subscript(quake: Quake) -> Quake { quake } }

@MainActor func gapKeyPathOfMainActor(_ world: World) async throws {
    let path = \Holder[try world.container.viewContext.anyQuake()]
    await Task.detached { Holder()[keyPath: path].note = "outside" }.value
}
