// An error carries an object. The compiler warns only, since an error is Sendable by implication.
// expected warning: stored property 'quake' of 'Sendable'-conforming struct 'UnknownQuake' has non-Sendable type

import Duramen

#if TWIN
struct UnknownQuake: Error { let quake: ManagedObjectID }
#else
struct UnknownQuake: Error { let quake: Quake }
#endif
