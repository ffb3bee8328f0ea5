// withContext is given an ordinary asynchronous method, which leaves its caller.
// expected: cannot convert '@Sendable \(ManagedObjectContext\) async throws -> Int' to 'nonisolated\(nons
// differs: in one statement of several lines

import Duramen

private struct Service: Sendable {
    #if TWIN
    nonisolated(nonsending) func run(_ c: ManagedObjectContext) async throws -> Int {
        try c.count(for: FetchRequest<Quake>())
    }
    #else
    func run(_ c: ManagedObjectContext) async throws -> Int {
        try c.count(for: FetchRequest<Quake>())
    }
    #endif
}
private func f(_ b: BackgroundContext, _ service: Service) async throws {
    print(try await b.withContext(service.run))
}
