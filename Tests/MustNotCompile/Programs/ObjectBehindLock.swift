// A Sendable class keeps an object behind a lock.
// expected: stored property 'q' of 'Sendable'-conforming class 'Guarded' is mutable
// differs: in one statement of several lines

import Duramen
import Foundation

private final class Guarded: Sendable {
    private let lock = NSLock()
    #if TWIN
    func set(_ n: Quake) { lock.withLock { print(n.code) } }
    #else
    private var q: Quake?;
    func set(_ n: Quake) { lock.withLock { q = n } }
    #endif
}
