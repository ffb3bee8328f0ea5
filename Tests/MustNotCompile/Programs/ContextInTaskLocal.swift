// A task-local value has a context.
// expected: stored property 'c' of 'Sendable'-conforming struct 'CtxBox' has non-Sendable type 'Manage

import Duramen

#if TWIN
private struct CtxBox: Sendable { let c: BackgroundContext }
#else
private struct CtxBox: Sendable { let c: ManagedObjectContext }
#endif
private enum L { @TaskLocal static var c: CtxBox? }
