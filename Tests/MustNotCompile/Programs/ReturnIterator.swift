// An iterator over objects leaves its context.
// expected: conformance of 'AnyIterator<Element>' to 'Sendable' is unavailable

import Duramen

private func f(_ b: BackgroundContext) async {
    let s = await b.perform { c in
        let q = Quake(context: c)
        #if TWIN
        return AnyIterator { q.code }.next() ?? ""
        #else
        return AnyIterator { q.code }
        #endif
    }
    print(s)
}
