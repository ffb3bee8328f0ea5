// A cancellation handler rolls a context back.
// expected: capture of 'c' with non-Sendable type 'ManagedObjectContext' in a '@Sendable' closure
// differs: in one statement of several lines

import Duramen

@MainActor private func f(_ c: ManagedObjectContext) async {
    #if TWIN
    await withTaskCancellationHandler {
        await Task.yield()
    } onCancel: {
    }
    c.rollback()
    #else
    await withTaskCancellationHandler {
        await Task.yield()
    } onCancel: {
        c.rollback()
    }
    #endif
}
