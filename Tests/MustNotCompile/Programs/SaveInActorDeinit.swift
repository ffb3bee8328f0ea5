// An actor saves in its deinit.
// expected: cannot access property 'c' with a non-Sendable type 'ManagedObjectContext' from nonisolate

import Duramen

#if TWIN
private actor A { let c: ManagedObjectContext; init(_ p: PersistentContainer) { c = p.makeContext() }; isolated deinit { try? c.save() } }
#else
private actor A { let c: ManagedObjectContext; init(_ p: PersistentContainer) { c = p.makeContext() }; deinit { try? c.save() } }
#endif
