// The same with a lazy sequence.

import Duramen
import Synchronization

private final class Slot: Sendable {
    let context: Mutex<ManagedObjectContext>
    init(_ container: PersistentContainer) { context = Mutex(container.makeContext()) }
}

func gapMutexReturnsLazySequence(_ world: World) async throws {
    let slot = Slot(world.container)
    let codes = try slot.context.withLock {
        try $0.fetch(FetchRequest<Quake>()).lazy.map { $0.code }
    }
    print(Array(codes))
}
