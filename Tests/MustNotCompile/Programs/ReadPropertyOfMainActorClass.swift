// An object in a class of the main actor is read elsewhere.
// expected: main actor-isolated property 'q' can not be referenced from a nonisolated context

import Duramen

@MainActor private final class A { let q: Quake; init(_ q: Quake) { self.q = q } }
#if TWIN
@MainActor private func f(_ a: A) { print(a.q.code) }
#else
private nonisolated func f(_ a: A) { print(a.q.code) }
#endif
