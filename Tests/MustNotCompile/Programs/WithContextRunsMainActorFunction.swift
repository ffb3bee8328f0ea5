// withContext is given a function of the main actor.
// expected: cannot convert '@MainActor @Sendable \(ManagedObjectContext\) async -> Int' to 'nonisolated\(
// both warn: cannot convert '@Sendable

import Duramen

@MainActor @Sendable private func work(_ c: ManagedObjectContext) async -> Int {
    (try? c.fetch(FetchRequest<Quake>()).count) ?? 0
}
#if TWIN
private func f(_ b: BackgroundContext) async { print(await b.withContext { _ in 1 }) }
#else
private func f(_ b: BackgroundContext) async { print(await b.withContext(work)) }
#endif
