// An object is stored in an inout parameter.
// expected: passing closure as a 'sending' parameter risks causing data races between code in the curr

import Duramen

#if TWIN
private func f(_ b: BackgroundContext, _ q: inout Quake?) async { await b.perform { ctx in _ = Quake(context: ctx) } }
#else
private func f(_ b: BackgroundContext, _ q: inout Quake?) async { await b.perform { ctx in q = Quake(context: ctx) } }
#endif
