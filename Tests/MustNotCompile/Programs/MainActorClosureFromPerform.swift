// A closure of the main actor takes an object along.
// expected: sending 'q' risks causing data races

import Duramen

private func f(_ b: BackgroundContext) async {
    let k: @MainActor @Sendable () -> String = await b.perform { ctx in
        let q = Quake(context: ctx)
        #if TWIN
        let code = q.code; return { @MainActor in code }
        #else
        return { @MainActor in q.code }
        #endif
    }
    print(await k())
}
