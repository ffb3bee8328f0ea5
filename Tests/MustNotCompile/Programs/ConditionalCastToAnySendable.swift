// An object is cast to any Sendable.
// expected: marker protocol 'Sendable' cannot be used in a conditional cast

import Duramen

#if TWIN
private func f(_ b: BackgroundContext) async { let s = await b.perform { ctx in Quake(context: ctx).objectID as any Sendable }; print(s as Any) }
#else
private func f(_ b: BackgroundContext) async { let s = await b.perform { ctx in (Quake(context: ctx) as Any) as? any Sendable }; print(s as Any) }
#endif
