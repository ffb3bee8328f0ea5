// withContext is given a closure of the main actor.
// expected: cannot convert '@MainActor @Sendable \(ManagedObjectContext\) async -> Int' to 'nonisolated\(

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    print(await b.withContext { c in (try? c.fetch(FetchRequest<Quake>()).count) ?? 0 })
    #else
    print(await b.withContext { @MainActor c in (try? c.fetch(FetchRequest<Quake>()).count) ?? 0 })
    #endif
}
