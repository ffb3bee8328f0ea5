// A work item takes an object of a background context to another queue.
// stops: was used outside of

import Dispatch
import Duramen

func gapWorkItemOfBackgroundObject(_ world: World) async throws {
    let item = try await world.background.perform { context in
        let quake = try context.anyQuake()
        let item = DispatchWorkItem { quake.note = "outside" }
        DispatchQueue.global().async(execute: item)
        return true
    }
    if item { try await Task.sleep(for: .seconds(60)) }
}
