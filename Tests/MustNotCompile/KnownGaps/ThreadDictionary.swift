// A dictionary of a thread keeps an object of a background context.
// stops: was used outside of

import Duramen
import Foundation

private func keep(_ world: World) {
    world.background.performAndWait { context in
        Thread.current.threadDictionary["quake"] = try? context.anyQuake()
    }
    // The caller's own thread worked for the queue.
    (Thread.current.threadDictionary["quake"] as? Quake)?.note = "outside"
}

func gapThreadDictionary(_ world: World) async throws { keep(world) }
