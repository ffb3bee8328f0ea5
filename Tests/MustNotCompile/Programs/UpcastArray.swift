// An array with an object is cast to one of Sendable values.
// expected: type 'Any' does not conform to the 'Sendable' protocol
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    let s = await b.perform { ctx in
        let d: [Any] = [Quake(context: ctx)]
        return d.count
    }
    print(s)
    #else
    let s = await b.perform { ctx in
        let d: [Any] = [Quake(context: ctx)]
        return d as [any Sendable]
    }
    print((s[0] as! Quake).code)
    #endif
}
