// Objects of two contexts are related in nested closures.
// expected: capture of 'q' with non-Sendable type 'Quake' in a '@Sendable' closure

import Duramen

private func f(_ b: BackgroundContext, _ o: BackgroundContext) async {
    await b.withContext { c in
        let q = Quake(context: c); q.note = "x"
        #if TWIN
        await o.withContext { d in _ = Region(context: d) }
        #else
        await o.withContext { d in q.region = Region(context: d) }
        #endif
    }
}
