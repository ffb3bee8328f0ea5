// A function of the context's actor stores an object in an outer variable, and does not await.
// expected: 'async' call in a function that does not support concurrency
// differs: in one statement of several lines

import Duramen

private func first(in b: isolated BackgroundContext) -> Quake? {
    #if TWIN
    b.performAndWait { _ = Quake(context: $0) }
    return nil
    #else
    var q: Quake?
    b.perform { q = Quake(context: $0) }
    return q
    #endif
}
