// Values of objects are free to leave the context, the actor and the task that they were taken in.

import Duramen

@MainActor func values(in container: PersistentContainer) async throws -> [Quake.Values] {
    let taken = try await container.performBackgroundTask { context in
        try context.fetch(FetchRequest<Quake>()).map(\.values)
    }
    let fetched = try await container.fetch(
        Quake.Values.self, FetchRequest().where { $0.magnitude >= 6 }.limit(10))
    let pairs = try await container.fetch(
        FetchRequest<Quake>().select(\.code, \.region).limited())
    let task = Task.detached {
        taken + fetched.filter { values in values.region == pairs.first?.1 }
    }
    return await task.value
}

extension FetchSelection {
    /// The same selection from ten objects at most.
    func limited() -> Self {
        var copy = self
        copy.request = copy.request.limit(10)
        return copy
    }
}
