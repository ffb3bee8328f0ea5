// Values have no transient attribute.
// expected: value of type 'Wave\.Values' has no member 'meta'

import Duramen
import DuramenMacros

private final class Meta { var n = 0 }
@Managed private final class Wave: ManagedObject {
    var code: String = ""; @Attribute(.transient) var meta: Meta?
}
private func g<T: Sendable>(_ t: T) {}
#if TWIN
private func f(_ w: Wave) { g(w.values.code) }
#else
private func f(_ w: Wave) { g(w.values.meta) }
#endif
