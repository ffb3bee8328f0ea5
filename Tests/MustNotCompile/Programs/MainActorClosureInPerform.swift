// A closure of the main actor that is formed in perform runs later.
// expected: sending 'q' risks causing data races

import Duramen

private func f(_ b: BackgroundContext) async {
    await b.perform { ctx in
        let q = Quake(context: ctx)
        let code = q.code
        #if TWIN
        let show: @MainActor () -> Void = { print(code) }
        #else
        let show: @MainActor () -> Void = { print(q.code, code) }
        #endif
        Task { await show() }
    }
}
