// An object is stored in an inout parameter.
// expected: passing closure as a 'sending' parameter risks causing data races between code in the curr

import Duramen

private func f(_ b: BackgroundContext, _ q: inout Quake?) async {
    #if TWIN
    await b.perform { ctx in _ = Quake(context: ctx) }
    #else
    await b.perform { ctx in q = Quake(context: ctx) }
    #endif
}
