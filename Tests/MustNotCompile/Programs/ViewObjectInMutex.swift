// A mutex takes an object of the view context.
// expected: 'inout sending' parameter '\$0' cannot be main actor-isolated at end of function
// differs: in one statement of several lines

import Duramen
import Synchronization

private final class Slot: Sendable { let m = Mutex<Quake?>(nil) }
#if TWIN
@MainActor private func f(_ s: Slot, _ q: Quake) {
    s.m.withLock {
        _ = $0
        _ = q
    }
}
#else
@MainActor private func f(_ s: Slot, _ q: Quake) { s.m.withLock { $0 = q } }
#endif
