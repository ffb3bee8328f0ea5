// A managed class is an error.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the

import Duramen
import DuramenMacros

@Managed private final class Surge: ManagedObject { var code: String = "" }
#if TWIN
extension Surge {}
#else
extension Surge: Error {}
#endif
private func f(_ b: BackgroundContext) async { await b.perform { ctx in _ = Surge(context: ctx) } }
