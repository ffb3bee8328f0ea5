// An array literal of Sendable values has an object.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the

import Duramen

#if TWIN
private func f(_ b: BackgroundContext) async { let s: [any Sendable] = await b.perform { ctx in [Quake(context: ctx).objectID] }; print(s[0]) }
#else
private func f(_ b: BackgroundContext) async { let s: [any Sendable] = await b.perform { ctx in [Quake(context: ctx)] }; print((s[0] as! Quake).code) }
#endif
