// The main actor uses a context in a mutex, and so becomes its owner.
// expected: 'inout sending' parameter '\$0' cannot be main actor-isolated at end of function
// differs: in one statement of several lines

import Duramen
import Synchronization

private final class Slot: Sendable {
    let m: Mutex<ManagedObjectContext>;
    init(_ c: PersistentContainer) { m = Mutex(c.makeContext()) }
}
#if TWIN
private func f(_ s: Slot) throws -> Int {
    try s.m.withLock { try $0.fetch(FetchRequest<Quake>()).count }
}
#else
@MainActor private func f(_ s: Slot) throws -> Int {
    try s.m.withLock { try $0.fetch(FetchRequest<Quake>()).count }
}
#endif
