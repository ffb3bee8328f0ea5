// The handler of a source does.
// Swift's own check of isolated closures ends it, without words.
// stops: ^

import Dispatch
import Duramen

@MainActor func gapDispatchSourceHandler(_ world: World) async throws {
    let quake = try world.container.viewContext.anyQuake()
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now())
    timer.setEventHandler { quake.note = "outside" }
    timer.resume()
    try await Task.sleep(for: .seconds(60))
}
