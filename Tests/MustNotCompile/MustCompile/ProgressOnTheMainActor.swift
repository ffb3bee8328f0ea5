// Progress reporting to main from perform.

import Duramen

@MainActor private final class P { var n = 0 }
private func f(_ b: BackgroundContext, _ p: P) async throws {
    try await b.perform { c in
        for (i, q) in try c.fetch(FetchRequest<Quake>()).enumerated() {
            q.note = ""; if i % 100 == 0 { Task { @MainActor in p.n = i } }
        }; try c.save()
    }
}
