// The notification of a group does.
// Swift's own check of isolated closures ends it, without words.
// stops: ^

import Dispatch
import Duramen

@MainActor func gapDispatchGroupNotification(_ world: World) async throws {
    let quake = try world.container.viewContext.anyQuake()
    DispatchGroup().notify(queue: .global()) { quake.note = "outside" }
    try await Task.sleep(for: .seconds(60))
}
