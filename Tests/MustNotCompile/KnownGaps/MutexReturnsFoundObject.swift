// The same with an object that a generic function found.

import Duramen
import Synchronization

private final class Slot: Sendable {
    let context: Mutex<ManagedObjectContext>
    init(_ container: PersistentContainer) { context = Mutex(container.makeContext()) }
}

func gapMutexReturnsFoundObject(_ world: World) async throws {
    let quake = try Slot(world.container).context.withLock { context in
        try context.fetch(FetchRequest<Quake>()).first { !$0.code.isEmpty }
    }
    print(quake?.objectID as Any)
}
