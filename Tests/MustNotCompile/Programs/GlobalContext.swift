// A global constant holds a context.
// expected: let 'shared' is not concurrency-safe because non-'Sendable' type 'ManagedObjectContext' ma
// differs: in one statement of several lines

import Duramen

#if TWIN
private let shared = try! PersistentContainer.open(
    model: ManagedObjectModel(Quake.self, Region.self), stores: [])
#else
private let shared = try! PersistentContainer.open(
    model: ManagedObjectModel(Quake.self, Region.self), stores: []
).makeContext()
#endif
