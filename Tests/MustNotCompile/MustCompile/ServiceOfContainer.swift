// Service struct holding container used from any actor.

import Duramen

private struct Service: Sendable {
    let c: PersistentContainer
    @MainActor func show(_ id: ManagedObjectID) throws -> Quake {
        try c.viewContext.existingObject(with: id, as: Quake.self)
    }
    @concurrent func heavy() async throws -> Int {
        try await c.performBackgroundTask { try $0.count(for: FetchRequest<Quake>()) }
    }
}
