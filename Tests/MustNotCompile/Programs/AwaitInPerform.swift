// The closure of perform awaits something. The message names withContext.
// expected: 'perform\(isolation:_:\)' is unavailable: the closure of perform cannot await; use withConte

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    await b.withContext { _ in await Task.yield() }
    #else
    await b.perform { _ in await Task.yield() }
    #endif
}
