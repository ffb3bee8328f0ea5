// An object leaves a mutex that guards its context. The context has no owner to compare with.

import Duramen
import Synchronization

private final class Slot: Sendable {
    let context: Mutex<ManagedObjectContext>
    init(_ container: PersistentContainer) { context = Mutex(container.makeContext()) }
}

func gapMutexReturnsObject(_ world: World) async throws {
    let quake = try Slot(world.container).context.withLock { context in try context.anyQuake() }
    print(quake.objectID)
}
