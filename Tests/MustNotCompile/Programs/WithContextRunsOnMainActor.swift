// An object goes from withContext to the main actor.
// expected: sending 'q' risks causing data races
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async {
    await b.withContext { c in
        #if TWIN
        let q = Quake(context: c).code
        await MainActor.run { print(q) }
        #else
        let q = Quake(context: c)
        await MainActor.run { print(q.code) }
        #endif
    }
}
