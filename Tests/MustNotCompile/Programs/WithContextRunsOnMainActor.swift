// An object goes from withContext to the main actor.
// expected: sending 'q' risks causing data races

import Duramen

#if TWIN
private func f(_ b: BackgroundContext) async { await b.withContext { c in let q = Quake(context: c).code; await MainActor.run { print(q) } } }
#else
private func f(_ b: BackgroundContext) async { await b.withContext { c in let q = Quake(context: c); await MainActor.run { print(q.code) } } }
#endif
