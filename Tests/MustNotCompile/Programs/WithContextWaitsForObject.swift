// A continuation brings an object of another context.
// expected: sending value of non-Sendable type 'ManagedObject' risks causing data races
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext, _ o: BackgroundContext) async {
    await b.withContext { c in
        #if TWIN
        let q: ManagedObjectID = await withCheckedContinuation { k in
            o.performAndWait { d in k.resume(returning: Quake(context: d).objectID) }
        }
            ;
        print(q, c)
        #else
        let q: Quake = await withCheckedContinuation { k in
            o.performAndWait { d in k.resume(returning: Quake(context: d)) }
        }
            ;
        q.region = Region(context: c)
        #endif
    }
}
