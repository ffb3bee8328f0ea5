// A managed class is isolated to the main actor.
// expected: managed class 'Surge' cannot be isolated to the main actor; its objects belong to their co

import Duramen
import DuramenMacros

#if TWIN
@Managed nonisolated private final class Surge: ManagedObject { var code: String = "" }
#else
@Managed @MainActor private final class Surge: ManagedObject { var code: String = "" }
#endif
