// Stores compute what is derived; nobody else sets it.
// expected: cannot assign to property: 'total' is a get-only property

import Duramen
import DuramenMacros

@Managed
final class Drawer: ManagedObject {
    var count: Int = 0
    @Attribute(.derived("count")) var total: Int = 0
}

func setDerivedAttribute(_ drawer: Drawer) {
    #if TWIN
    drawer.count = 1
    #else
    drawer.total = 1
    #endif
}
