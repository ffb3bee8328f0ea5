// An actor gives away the context that it keeps.
// expected: sending 'x' risks causing data races

import Duramen

#if TWIN
private actor A { var c: ManagedObjectContext?; func give() -> sending ManagedObjectContext? { _ = c.take(); return nil } }
#else
private actor A { var c: ManagedObjectContext?; func give() -> sending ManagedObjectContext? { let x = c.take(); return x } }
#endif
