// A managed class conforms to a protocol that refines Sendable.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the

import Duramen
import DuramenMacros

private protocol Shared: Sendable { var name2: String { get } }
#if TWIN
@Managed private final class Surf: ManagedObject { var name2: String = "" }
#else
@Managed private final class Surf: ManagedObject, Shared { var name2: String = "" }
#endif
