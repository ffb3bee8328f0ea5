// A context in a box leaves the mutex that guards the box.

import Duramen
import Synchronization

private final class Holder { var context: ManagedObjectContext? }
private final class Slot: Sendable {
    let holder: Mutex<Holder>
    init(_ container: PersistentContainer) {
        let holder = Holder()
        holder.context = container.makeContext()
        self.holder = Mutex(holder)
    }
}

func gapMutexReturnsContext(_ world: World) async throws {
    let context = Slot(world.container).holder.withLock { $0.context }
    print(context?.name as Any)
}
