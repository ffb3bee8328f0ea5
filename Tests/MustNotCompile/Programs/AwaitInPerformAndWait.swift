// The closure of performAndWait awaits something. The message names withContext.
// expected: 'performAndWait' is unavailable: the closure of performAndWait cannot await; use withConte

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    await b.withContext { _ in await Task.yield() }
    #else
    b.performAndWait { _ in await Task.yield() }
    #endif
}
