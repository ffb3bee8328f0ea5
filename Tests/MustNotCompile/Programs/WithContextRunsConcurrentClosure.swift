// withContext is given a concurrent closure.
// expected: cannot convert '@Sendable \(ManagedObjectContext\) async -> Int' to 'nonisolated\(nonsending\)

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    print(await b.withContext { c in (try? c.fetch(FetchRequest<Quake>()).count) ?? 0 })
    #else
    print(await b.withContext { @concurrent c in (try? c.fetch(FetchRequest<Quake>()).count) ?? 0 })
    #endif
}
