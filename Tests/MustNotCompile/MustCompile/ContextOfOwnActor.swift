// An actor owns a context, uses it synchronously, and passes on IDs and values only.

import Duramen

actor Observatory {
    private let context: ManagedObjectContext
    private var strongest: Quake?

    init(container: PersistentContainer) {
        context = container.makeContext(ContextOptions(name: "observatory"))
        context.attach(to: self)
    }

    func record(_ code: String, magnitude: Double) throws -> ManagedObjectID {
        let quake = Quake(context: context)
        quake.code = code
        quake.magnitude = magnitude
        try context.save()
        if magnitude > strongest?.magnitude ?? 0 { strongest = quake }
        return quake.objectID
    }

    func codes() throws -> [String] { try context.fetch(FetchRequest<Quake>()).map(\.code) }
}

@MainActor
func show(_ observatory: Observatory, in container: PersistentContainer) async throws {
    let id = try await observatory.record("us7000", magnitude: 6.2)
    print(try container.viewContext.existingObject(with: id, as: Quake.self).code)
}
