// An array literal of Sendable values has an object.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    let s: [any Sendable] = await b.perform { ctx in [Quake(context: ctx).objectID] }
    print(s[0])
    #else
    let s: [any Sendable] = await b.perform { ctx in [Quake(context: ctx)] };
    print((s[0] as! Quake).code)
    #endif
}
