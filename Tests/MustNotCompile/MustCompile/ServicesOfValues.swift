// Protocol service async with values.

import Duramen

private protocol QuakeService: Sendable { func all() async throws -> [Quake.Values] }
private struct Live: QuakeService {
    let c: PersistentContainer;
    func all() async throws -> [Quake.Values] {
        try await c.fetch(Quake.Values.self, FetchRequest())
    }
}
private struct Bg: QuakeService {
    let b: BackgroundContext;
    func all() async throws -> [Quake.Values] {
        try await b.perform { try $0.fetch(FetchRequest<Quake>()).map(\.values) }
    }
}
