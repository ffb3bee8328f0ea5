// A function of the context's actor stores an object in an outer variable, and does not await.
// expected: 'async' call in a function that does not support concurrency

import Duramen

#if TWIN
private func first(in b: isolated BackgroundContext) -> Quake? { b.performAndWait { _ = Quake(context: $0) }; return nil }
#else
private func first(in b: isolated BackgroundContext) -> Quake? { var q: Quake?; b.perform { q = Quake(context: $0) }; return q }
#endif
