// An engine that is shared keeps a context.
// expected: stored property 'context' of 'Sendable'-conforming class 'ImportEngine' has non-Sendable type

import Duramen

#if TWIN
@MainActor
#endif
final class ImportEngine: Sendable {
    private let context: ManagedObjectContext

    init(container: PersistentContainer) { context = container.makeContext() }
}
