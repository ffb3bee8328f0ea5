// withContext is given a function that runs elsewhere.
// expected: cannot convert '@Sendable \(ManagedObjectContext\) async -> Int' to 'nonisolated\(nonsending\)
// differs: in one statement of several lines

import Duramen

#if TWIN
private nonisolated(nonsending) func work(_ c: ManagedObjectContext) async -> Int {
    (try? c.fetch(FetchRequest<Quake>()).count) ?? 0
}
#else
@concurrent @Sendable private func work(_ c: ManagedObjectContext) async -> Int {
    (try? c.fetch(FetchRequest<Quake>()).count) ?? 0
}
#endif
private func f(_ b: BackgroundContext) async { print(await b.withContext(work)) }
