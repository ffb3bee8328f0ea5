// A closure of the caller is called with an object of the background.
// expected: passing closure as a 'sending' parameter risks causing data races between main actor-isola

import Duramen

@MainActor private func f(_ b: BackgroundContext, _ sink: @escaping (Quake) -> Void) async {
    #if TWIN
    await b.perform { ctx in _ = Quake(context: ctx) }
    #else
    await b.perform { ctx in sink(Quake(context: ctx)) }
    #endif
}
