// A global variable holds an object.
// expected: var 'lastQuake' is not concurrency-safe because it is nonisolated global shared mutable st

import Duramen

#if TWIN
private let lastQuake: ManagedObjectID? = nil
#else
private var lastQuake: Quake?
#endif
