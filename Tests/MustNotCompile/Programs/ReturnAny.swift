// An object leaves as Any.
// expected: type 'Any' does not conform to the 'Sendable' protocol

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    let s: String = await b.perform { ctx -> String in Quake(context: ctx).code }
    #else
    let s: Any = await b.perform { ctx -> Any in Quake(context: ctx) }
    #endif
    print(s)
}
