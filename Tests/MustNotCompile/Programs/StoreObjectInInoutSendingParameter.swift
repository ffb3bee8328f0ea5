// An object of a context that stays is stored in an inout sending parameter.
// expected: 'inout sending' parameter 'q' cannot be task-isolated at end of function

import Duramen

#if TWIN
private func f(_ ctx: ManagedObjectContext, _ q: inout sending Quake?) { q = nil; _ = ctx }
#else
private func f(_ ctx: ManagedObjectContext, _ q: inout sending Quake?) { q = Quake(context: ctx) }
#endif
