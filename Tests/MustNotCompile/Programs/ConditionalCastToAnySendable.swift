// An object is cast to any Sendable.
// expected: marker protocol 'Sendable' cannot be used in a conditional cast
// both warn: conditional cast from 'Any' to 'any Sendable' always succeeds

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    let s = await b.perform { ctx in Quake(context: ctx).objectID as any Sendable }
    #else
    let s = await b.perform { ctx in (Quake(context: ctx) as Any) as? any Sendable };
    #endif
    print(s as Any)
}
