// The main actor counts with a context in a mutex, and so becomes its owner.
// expected: 'inout sending' parameter '\$0' cannot be main actor-isolated at end of function
// differs: in one statement of several lines

import Duramen
import Synchronization

private final class Slot: Sendable {
    let context: Mutex<ManagedObjectContext>
    init(_ c: PersistentContainer) { context = Mutex(c.makeContext()) }
}
#if TWIN
private func f(_ s: Slot) throws -> Int {
    try s.context.withLock { try $0.count(for: FetchRequest<Quake>()) }
}
#else
@MainActor private func f(_ s: Slot) throws -> Int {
    try s.context.withLock { try $0.count(for: FetchRequest<Quake>()) }
}
#endif
