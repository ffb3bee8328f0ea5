// Swift: what a mutex guards leaves it, without any object of this library.

import Duramen
import Synchronization

private final class Plain { var count = 0 }

func gapMutexReturnsPlainObject(_ world: World) async throws {
    let mutex = Mutex(Plain())
    let plain = mutex.withLock { $0 }
    print(plain.count)
}
