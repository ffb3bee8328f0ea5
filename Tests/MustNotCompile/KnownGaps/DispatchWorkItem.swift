// A work item takes an object of the main actor to another queue.
// Swift's own check of isolated closures ends it, without words.
// stops: ^

import Dispatch
import Duramen

@MainActor func gapDispatchWorkItem(_ world: World) async throws {
    let quake = try world.container.viewContext.anyQuake()
    let item = DispatchWorkItem { quake.note = "outside" }
    DispatchQueue.global().async(execute: item)
    item.wait()
}
