// The same with a result that is dropped by hand.
// expected: passing closure as a 'sending' parameter risks causing data races between main actor-isola

import Duramen

@MainActor private func f(_ b: BackgroundContext, _ q: Quake) async {
    #if TWIN
    await b.perform { c in _ = c.observe { _, _ in print("changed") } }
    #else
    await b.perform { c in _ = c.observe { _, _ in q.note = "x" } }
    #endif
}
