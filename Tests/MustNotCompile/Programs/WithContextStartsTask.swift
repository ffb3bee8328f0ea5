// A task takes an object out of withContext.
// expected: passing closure as a 'sending' parameter risks causing data races between code in the curr
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async {
    await b.withContext { c in
        let q = Quake(context: c)
        #if TWIN
        let code = q.code
        Task { print(code) }
        #else
        Task { print(q.code) }
        #endif
    }
}
