// An object leaves as any Observable.
// expected: type 'any Observable' does not conform to the 'Sendable' protocol

import Duramen
import Observation

#if TWIN
private func f(_ b: BackgroundContext) async { let s = await b.perform { ctx in Quake(context: ctx).code }; print(s) }
#else
private func f(_ b: BackgroundContext) async { let s = await b.perform { ctx in Quake(context: ctx) as any Observable }; print(s) }
#endif
