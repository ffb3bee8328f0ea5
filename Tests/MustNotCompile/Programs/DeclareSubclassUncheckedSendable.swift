// A managed class claims to be Sendable unchecked. The compiler warns, and the claim has no effect.
// expected warning: conformance of '\w+' to protocol 'Sendable' is already unavailable

import Duramen

#if TWIN
final class Aftershock: ManagedObject {}
#else
final class Aftershock: ManagedObject, @unchecked Sendable {}
#endif
