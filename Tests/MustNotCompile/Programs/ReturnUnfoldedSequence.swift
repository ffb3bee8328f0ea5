// A sequence whose state is an object leaves its context.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    await b.perform { c in
        let q = Quake(context: c)
        print(Array(sequence(state: q) { $0.code }.prefix(1)))
    }
    #else
    let s: UnfoldSequence<String, Quake> = await b.perform { c in
        let q = Quake(context: c)
        return sequence(state: q) { $0.code }
    }
        ;
    print(s)
    #endif
}
