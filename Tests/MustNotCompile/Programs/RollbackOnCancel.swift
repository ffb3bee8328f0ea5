// A cancellation handler rolls a context back.
// expected: capture of 'c' with non-Sendable type 'ManagedObjectContext' in a '@Sendable' closure

import Duramen

#if TWIN
@MainActor private func f(_ c: ManagedObjectContext) async { await withTaskCancellationHandler { await Task.yield() } onCancel: {}; c.rollback() }
#else
@MainActor private func f(_ c: ManagedObjectContext) async { await withTaskCancellationHandler { await Task.yield() } onCancel: { c.rollback() } }
#endif
