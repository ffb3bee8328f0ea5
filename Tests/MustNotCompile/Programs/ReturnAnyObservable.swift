// An object leaves as any Observable.
// expected: type 'any Observable' does not conform to the 'Sendable' protocol
// both warn: add '@preconcurrency' to treat

import Duramen
import Observation

private func f(_ b: BackgroundContext) async {
    #if TWIN
    let s = await b.perform { ctx in Quake(context: ctx).code }
    #else
    let s = await b.perform { ctx in Quake(context: ctx) as any Observable }
    #endif
    print(s)
}
