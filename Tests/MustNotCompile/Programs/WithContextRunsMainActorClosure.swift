// withContext is given a closure of the main actor.
// expected: cannot convert '@MainActor @Sendable \(ManagedObjectContext\) async -> Int' to 'nonisolated\(

import Duramen

#if TWIN
private func f(_ b: BackgroundContext) async { print(await b.withContext { c in (try? c.fetch(FetchRequest<Quake>()).count) ?? 0 }) }
#else
private func f(_ b: BackgroundContext) async { print(await b.withContext { @MainActor c in (try? c.fetch(FetchRequest<Quake>()).count) ?? 0 }) }
#endif
