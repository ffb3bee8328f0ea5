// An iterator over objects leaves its context.
// expected: conformance of 'AnyIterator<Element>' to 'Sendable' is unavailable

import Duramen

private func f(_ b: BackgroundContext) async {
#if TWIN
  let s = await b.perform { c in let q = Quake(context: c); return AnyIterator { q.code }.next() ?? "" }; print(s)
#else
  let s = await b.perform { c in let q = Quake(context: c); return AnyIterator { q.code } }; print(s)
#endif
}
