// The same with a result that is dropped by hand.
// expected: passing closure as a 'sending' parameter risks causing data races between main actor-isola

import Duramen

#if TWIN
@MainActor private func f(_ b: BackgroundContext, _ q: Quake) async { await b.perform { c in _ = c.observe { _, _ in print("changed") } } }
#else
@MainActor private func f(_ b: BackgroundContext, _ q: Quake) async { await b.perform { c in _ = c.observe { _, _ in q.note = "x" } } }
#endif
