// Closure-based dependency injection.

import Duramen

private struct Deps: Sendable {
    var load: @Sendable () async throws -> [Quake.Values];
    var save: @MainActor @Sendable () throws -> Void
}
private func make(_ c: PersistentContainer) -> Deps {
    Deps(
        load: { try await c.fetch(Quake.Values.self, FetchRequest()) },
        save: { try c.viewContext.save() })
}
