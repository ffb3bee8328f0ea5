// Swift: a key path that captures a plain object is not Sendable.
// expected: type 'KeyPath<H, String>' does not conform to the 'Sendable' protocol

import Duramen

private final class Plain: Hashable {
    var code = ""; static func == (a: Plain, b: Plain) -> Bool { a === b };
    func hash(into h: inout Hasher) { h.combine(ObjectIdentifier(self)) }
}
private struct H: Hashable, Sendable { subscript(q: Plain) -> String { q.code } }
private func g<T: Sendable>(_ t: T) {}
#if TWIN
private func f(_ q: Plain) { let k: KeyPath<H, String> = \H[q]; _ = k }
#else
private func f(_ q: Plain) { let k: any KeyPath<H, String> & Sendable = \H[q]; g(k) }
#endif
