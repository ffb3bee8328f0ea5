// An observer of a background context changes an object of the main actor.
// expected: passing closure as a 'sending' parameter risks causing data races between main actor-isola

import Duramen

@MainActor private func f(_ b: BackgroundContext, _ q: Quake) async {
    #if TWIN
    await b.perform { c in c.observe { _, _ in print("changed") } }
    #else
    await b.perform { c in c.observe { _, _ in q.note = "x" } }
    #endif
}
