// A managed class of the main actor leaves a background context.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the

import Duramen

@MainActor private final class Surge: ManagedObject { var extra = 0 }
private func f(_ b: BackgroundContext) async {
    #if TWIN
    let w = await b.perform { ctx in Surge(context: ctx).objectID }
    #else
    let w = await b.perform { ctx in Surge(context: ctx) }
    #endif
    print(w)
}
