// A queue keeps an object.
// expected: static property 'key' is not concurrency-safe because non-'Sendable' type 'DispatchSpecifi

import Dispatch
import Duramen

#if TWIN
private enum Key { static let key = DispatchSpecificKey<String>() }
#else
private enum Key { static let key = DispatchSpecificKey<Quake>() }
#endif
