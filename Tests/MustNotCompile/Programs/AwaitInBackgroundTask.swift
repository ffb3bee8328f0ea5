// The closure of a background task awaits something. The message names withContext.
// expected: 'performBackgroundTask\(isolation:_:\)' is unavailable: the closure of performBackgroundTask

import Duramen

private func f(_ c: PersistentContainer) async {
    #if TWIN
    await c.newBackgroundContext().withContext { _ in await Task.yield() }
    #else
    await c.performBackgroundTask { _ in await Task.yield() }
    #endif
}
