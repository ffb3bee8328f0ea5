// Async let two backgrounds.

import Duramen

private func f(_ c: PersistentContainer) async throws -> Int {
    async let a = c.performBackgroundTask { try $0.count(for: FetchRequest<Quake>()) };
    async let b = c.performBackgroundTask { try $0.count(for: FetchRequest<Region>()) };
    return try await a + b
}
