// A Sendable property wrapper wraps anything.
// expected: stored property 'wrappedValue' of 'Sendable'-conforming generic struct 'Shared' has non-Se

import Duramen

#if TWIN
@propertyWrapper private struct Shared<T> { var wrappedValue: T }
#else
@propertyWrapper private struct Shared<T>: Sendable { var wrappedValue: T }
#endif
private struct S { @Shared var q: Quake }
