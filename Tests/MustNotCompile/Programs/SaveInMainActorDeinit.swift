// A class of the main actor saves in its deinit.
// expected: cannot access property 'c' with a non-Sendable type 'ManagedObjectContext' from nonisolate

import Duramen

@MainActor private final class A {
    let c: ManagedObjectContext
    init(_ p: PersistentContainer) { c = p.makeContext() };
    #if TWIN
    isolated deinit { try? c.save() }
    #else
    deinit { try? c.save() }
    #endif
}
