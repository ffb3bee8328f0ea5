// An object leaves as Any.
// expected: type 'Any' does not conform to the 'Sendable' protocol

import Duramen

#if TWIN
private func f(_ b: BackgroundContext) async { let s: String = await b.perform { ctx -> String in Quake(context: ctx).code }; print(s) }
#else
private func f(_ b: BackgroundContext) async { let s: Any = await b.perform { ctx -> Any in Quake(context: ctx) }; print(s) }
#endif
