// A managed class says that it is Sendable. The compiler warns, and the claim has no effect.
// expected warning: conformance of '\w+' to protocol 'Sendable' is already unavailable

import Duramen

#if TWIN
final class Tremor: ManagedObject {}
#else
final class Tremor: ManagedObject, Sendable {}
#endif
